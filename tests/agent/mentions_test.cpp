#include "guard/mentions.hpp"

#include "catch.hpp"

using namespace eyehand::agent;

namespace {

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("mentions: hosts of URLs") {
    CHECK(hosts_in("https://www.example.com/a?b#c") == Names{"www.example.com"});
    CHECK(hosts_in("see http://a.org:8080, ftp://b.org.") == Names{"a.org", "b.org"});
    CHECK(hosts_in("https://user:secret@bank.com@evil.com/") == Names{"evil.com"});
    CHECK(hosts_in("http://[::1]:80/") == Names{"[::1]"});
    CHECK(hosts_in("http://intranet/") == Names{"intranet"});
    CHECK(hosts_in("https:\\\\evil.com\\a") == Names{"evil.com"}); // browsers accept it
    CHECK(hosts_in("https:////evil.com") == Names{"evil.com"});
    CHECK(hosts_in("https://a.org/?to=https://b.org/c.html") == Names{"a.org", "b.org"});
    CHECK(hosts_in("<a href='https://a.org'>b.org</a>") == Names{"a.org", "b.org"});
    CHECK(hosts_in(R"(\\server\share\file.txt)") == Names{"server"});
}

TEST_CASE("mentions: words that look like hosts") {
    CHECK(hosts_in("www.example.com example.com/a.html") ==
          Names{"www.example.com", "example.com"});
    CHECK(hosts_in("mail me@example.com") == Names{"example.com"});
    CHECK(hosts_in("127.0.0.1:80 localhost:3000") == Names{"127.0.0.1", "localhost"});
    CHECK(hosts_in("--proxy=evil.com:80") == Names{"evil.com"});
    CHECK(hosts_in("m\xc3\xbcller.de") == Names{"m\xc3\xbcller.de"});
    CHECK(hosts_in("pay 1.5, or 1.2.3; a/b.txt ./c.sh /d/e.txt C:\\f.txt").empty());
    CHECK(hosts_in("").empty());
    CHECK(hosts_in("... .. . // http://").empty());
}

TEST_CASE("mentions: the name of a secret is not a host") {
    CHECK(hosts_in("secret://bank").empty());
    CHECK(hosts_in("nosecret://bank") == Names{"bank"});
    CHECK(hosts_in("secret://bank https://a.org") == Names{"a.org"});
}

TEST_CASE("mentions: paths") {
    CHECK(paths_in("cat /etc/passwd ~/.ssh/id_rsa ../a") ==
          Names{"/etc/passwd", "~/.ssh/id_rsa", "../a"});
    CHECK(paths_in("type C:\\Windows\\win.ini") == Names{"C:/Windows/win.ini"});
    CHECK(paths_in("open \"C:\\Program Files\\a b.txt\"") == Names{"C:/Program Files/a b.txt"});
    CHECK(paths_in("C:\\Program Files\\a b.txt\n") ==
          Names{"C:/Program Files/a b.txt", "C:/Program", "Files/a"});
    CHECK(paths_in("--file=/etc/passwd of=/dev/sda host:/srv/a") ==
          Names{"/etc/passwd", "/dev/sda", "/srv/a"});
    CHECK(paths_in("echo a>/etc/motd;ls /b|c") == Names{"/etc/motd", "/b"});
    CHECK(paths_in("file:///etc/passwd file:///C:/a file://server/b") ==
          Names{"/etc/passwd", "C:/a", "//server/b"});
    CHECK(paths_in(R"(\\server\share)") == Names{"//server/share"});
    CHECK(paths_in("https://a.org/b don't /c") == Names{"/c"});
    CHECK(paths_in("notes.txt").empty());
    CHECK(paths_in("").empty());
}

TEST_CASE("mentions: one form of a path") {
    CHECK(path_form("/a//b/./c/../d/") == "/a/b/d");
    CHECK(path_form("/../etc") == "/etc");
    CHECK(path_form("C:\\a\\..\\..\\b") == "C:/b");
    CHECK(path_form("../../a/../b") == "../../b");
    CHECK(path_form("~/../a") == "~/../a");
    CHECK(path_form("/~/../a") == "/a");
    CHECK(path_form("\\\\server\\a") == "//server/a");
    CHECK(path_form("*/.ssh/*") == "*/.ssh/*");
    CHECK(path_form("").empty());
}
