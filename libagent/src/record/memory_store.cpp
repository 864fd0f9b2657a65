#include "eyehand/agent/run_store.hpp"

#include <map>
#include <mutex>
#include <sstream>
#include <utility>

namespace eyehand::agent {

AppendStream::~AppendStream() = default;
void AppendStream::sync() {}
RunStore::~RunStore() = default;

class MemoryStore::Files {
public:
    void append(const std::string& name, std::string_view bytes) {
        const std::lock_guard lock(mutex_);
        files_[name] += bytes;
    }
    void cut(const std::string& name, std::uint64_t size) {
        const std::lock_guard lock(mutex_);
        std::string& file = files_[name];
        if (size < file.size()) file.resize(static_cast<std::size_t>(size));
    }
    void set(const std::string& name, std::string_view bytes) {
        const std::lock_guard lock(mutex_);
        files_[name] = bytes;
    }
    [[nodiscard]] std::optional<std::string> get(const std::string& name) const {
        const std::lock_guard lock(mutex_);
        const auto file = files_.find(name);
        if (file == files_.end()) return std::nullopt;
        return file->second;
    }
    [[nodiscard]] std::vector<std::string> names() const {
        const std::lock_guard lock(mutex_);
        std::vector<std::string> all;
        for (const auto& [name, bytes] : files_) all.push_back(name);
        return all;
    }
    [[nodiscard]] std::uint64_t size() const {
        const std::lock_guard lock(mutex_);
        std::uint64_t sum = 0;
        for (const auto& [name, bytes] : files_) sum += bytes.size();
        return sum;
    }
    [[nodiscard]] bool lock_journal() {
        const std::lock_guard lock(mutex_);
        return !std::exchange(journal_is_locked_, true);
    }
    [[nodiscard]] bool journal_is_locked() const {
        const std::lock_guard lock(mutex_);
        return journal_is_locked_;
    }
    void unlock_journal() {
        const std::lock_guard lock(mutex_);
        journal_is_locked_ = false;
    }

    class Stream final : public AppendStream {
    public:
        Stream(std::shared_ptr<Files> files, std::string name, bool is_locked)
            : files_(std::move(files)), name_(std::move(name)), is_locked_(is_locked) {
            files_->append(name_, {});
        }
        ~Stream() override {
            if (is_locked_) files_->unlock_journal();
        }
        Stream(const Stream&) = delete;
        Stream& operator=(const Stream&) = delete;
        void append(std::string_view bytes) override { files_->append(name_, bytes); }
        void cut(std::uint64_t size) override { files_->cut(name_, size); }

    private:
        std::shared_ptr<Files> files_;
        std::string name_;
        bool is_locked_;
    };

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> files_;
    bool journal_is_locked_ = false;
};

MemoryStore::MemoryStore() : files_(std::make_shared<Files>()) {}
MemoryStore::~MemoryStore() = default;

std::unique_ptr<AppendStream> MemoryStore::lock_journal() {
    if (!files_->lock_journal())
        throw Error(errc::run_locked, "the run is still in progress: its journal is being written");
    return std::make_unique<Files::Stream>(files_, journal_name, true);
}

std::uint64_t MemoryStore::size() const { return files_->size(); }

bool MemoryStore::journal_is_locked() const { return files_->journal_is_locked(); }

std::unique_ptr<AppendStream> MemoryStore::open_append(const std::string& name) {
    return std::make_unique<Files::Stream>(files_, name, false);
}

void MemoryStore::create(const std::string& name, std::string_view bytes) {
    files_->set(name, bytes);
}

void MemoryStore::replace(const std::string& name, std::string_view bytes) {
    files_->set(name, bytes);
}

bool MemoryStore::contains(const std::string& name) const { return files_->get(name).has_value(); }

std::unique_ptr<std::istream> MemoryStore::open_read(const std::string& name) const {
    auto bytes = files_->get(name);
    if (!bytes) return nullptr;
    return std::make_unique<std::istringstream>(*std::move(bytes));
}

std::vector<std::string> MemoryStore::names() const { return files_->names(); }

std::string MemoryStore::bytes(const std::string& name) const {
    return files_->get(name).value_or("");
}

} // namespace eyehand::agent
