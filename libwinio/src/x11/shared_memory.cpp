#include "x11/shared_memory.hpp"

#include <sys/ipc.h>
#include <sys/shm.h>

#include <utility>

namespace winio::x11 {

std::optional<SharedMemory> SharedMemory::create(const Connection& connection, std::size_t bytes) {
    const int segment = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (segment < 0) return std::nullopt;
    void* const data = shmat(segment, nullptr, 0);
    if (data == reinterpret_cast<void*>(-1)) { // shmat's way to say no
        shmctl(segment, IPC_RMID, nullptr);
        return std::nullopt;
    }
    SharedMemory memory(connection, static_cast<std::uint8_t*>(data), bytes);
    const xcb_shm_seg_t id = xcb_generate_id(connection.get());
    const bool attached = connection.succeeded(
        xcb_shm_attach_checked(connection.get(), id, static_cast<std::uint32_t>(segment), 0));
    shmctl(segment, IPC_RMID, nullptr);
    if (!attached) return std::nullopt;
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
    shmdt(data_);
    --open_segments;
}

} // namespace winio::x11
