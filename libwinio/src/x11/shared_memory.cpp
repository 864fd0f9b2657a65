#include "x11/shared_memory.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace eyehand::winio::x11 {
namespace {

// Sending a descriptor over any other kind of connection would close the connection.
bool takes_descriptors(const Connection& connection) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (getsockname(xcb_get_file_descriptor(connection.get()),
                    reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        address.ss_family != AF_UNIX)
        return false;
    const auto version =
        connection.take(xcb_shm_query_version_reply, xcb_shm_query_version(connection.get()));
    return version &&
           std::pair<int, int>(version->major_version, version->minor_version) >= std::pair(1, 2);
}

} // namespace

std::optional<SharedMemory> SharedMemory::create(const Connection& connection, std::size_t bytes) {
    if (!takes_descriptors(connection)) return std::nullopt;
    const int file = memfd_create("eyehand-capture", MFD_CLOEXEC);
    if (file < 0) return std::nullopt;
    void* data = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
        data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) {
        ::close(file);
        return std::nullopt;
    }
    SharedMemory memory(connection, static_cast<std::uint8_t*>(data), bytes);
    const xcb_shm_seg_t id = xcb_generate_id(connection.get());
    // Closes the descriptor.
    if (!connection.succeeded(xcb_shm_attach_fd_checked(connection.get(), id, file, 0)))
        return std::nullopt;
    memory.id_ = id;
    return memory;
}

SharedMemory::SharedMemory(const Connection& connection, std::uint8_t* data, std::size_t size)
    : connection_(&connection), data_(data), size_(size) {
    ++open_segments;
    ++acquired_segments;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : connection_(other.connection_), id_(std::exchange(other.id_, XCB_NONE)),
      data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(connection_, other.connection_);
    std::swap(id_, other.id_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

SharedMemory::~SharedMemory() {
    if (data_ == nullptr) return;
    if (id_ != XCB_NONE) xcb_shm_detach(connection_->get(), id_);
    munmap(data_, size_);
    --open_segments;
}

} // namespace eyehand::winio::x11
