# Compilations of the projects that the including script configures after this come from ccache, if it is installed;
# also in another clone, where the paths below the repository differ.
find_program(ccache ccache)
if(ccache)
    cmake_path(SET repository NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../..")
    set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${ccache}")
    set(ENV{CCACHE_BASEDIR} "${repository}")
    set(ENV{CCACHE_NOHASHDIR} 1)
endif()
