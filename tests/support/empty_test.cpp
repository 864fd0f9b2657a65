// A program without tests, whose precompiled headers serve the programs with tests.
