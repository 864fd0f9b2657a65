// Memory that the X server writes captures into.
#pragma once

#include "x11/connection.hpp"

#include <xcb/shm.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace eyehand::winio::x11 {

inline std::atomic<int> open_segments{0};      ///< currently open
inline std::atomic<long> acquired_segments{0}; ///< since the program started

/// Anonymous memory that this process and the server share. The server receives its descriptor,
/// because the id of a System V segment is not valid for a server in another container.
class SharedMemory {
public:
    /// Empty if the system provides no memory or the server cannot access it because it runs on
    /// another machine or lacks MIT-SHM 1.2. Refers to the connection.
    [[nodiscard]] static std::optional<SharedMemory> create(const Connection& connection,
                                                            std::size_t bytes);
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    ~SharedMemory();

    [[nodiscard]] xcb_shm_seg_t id() const { return id_; }
    [[nodiscard]] const std::uint8_t* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    SharedMemory(const Connection& connection, std::uint8_t* data, std::size_t size);
    const Connection* connection_;
    xcb_shm_seg_t id_ = XCB_NONE;
    std::uint8_t* data_;
    std::size_t size_;
};

} // namespace eyehand::winio::x11
