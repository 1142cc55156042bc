// SPDX-License-Identifier: Apache-2.0

/// An answer that no study's server gives, but something in between: a network's log-in page (captive portal), or a
/// proxy's page; destinations, and `LabAnswer` for reports, look for one first. It says nothing of what was
/// sent: neither that it is stored nor that it is refused.
///
/// Whatever its `Content-Type`: PHP's own good answers are `text/html` with the body `1`.
///
/// | portal | answers a POST before the log-in with (source) |
/// |---|---|
/// | openNDS | 511 and a page (`src/http_microhttpd.c`: "only allow get"); a GET with 307 to its own host; 200 `<br>OK<br>` and 202 `<html>` pages |
/// | nodogsplash | 307 to its own host with a page; 200 `<html><meta http-equiv="refresh" …` (`src/http_microhttpd.c`) |
/// | CoovaChilli | `HTTP/1.0 302 Moved Temporarily` to its own host, `<HTML><BODY><H2>Browser error!` (`src/redir.c`); 200 with files, some with `Content-Encoding: gzip` unasked |
/// | RFC 6585 §6 | 511 Network Authentication Required |
struct ForeignAnswer: Sendable, Hashable {
    /// In words, with the answer's beginning.
    let reason: String
    /// True where it concerns the whole network, which is then unusable; false where it may be a
    /// proxy of the server's. Redirects to another host never come here: `HTTPClient` throws `.portal`.
    let isPortal: Bool

    /// Nil for an answer that may be the server's own. XML counts as a page: where a server answers in
    /// it, as S3 does, the caller looks for that first.
    init?(_ response: HTTPResponse) {
        let shown =
            String(decoding: response.body.prefix(80), as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        if response.status == 511 {
            (reason, isPortal) = ("the network requires a login (511)", true)
        } else if Self.isPage(response.body) {
            isPortal = (200...299).contains(response.status)
            reason = "\(response.status) with a page instead of the server's answer: \(shown)"
        } else if let encoding = response["Content-Encoding"]?.lowercased(), !["", "identity"].contains(encoding) {
            (reason, isPortal) = (
                "\(response.status) in an encoding that was not asked for (\(encoding.prefix(20)))", false
            )
        } else {
            return nil
        }
    }

    /// Text that begins with `<`, after white space and a byte order mark; UTF-16 too.
    static func isPage(_ body: [UInt8]) -> Bool {
        var rest = body[...]
        for mark in [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] where rest.starts(with: mark) {
            rest = rest.dropFirst(mark.count)
        }
        return rest.first { ![0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x00].contains($0) } == UInt8(ascii: "<")
    }
}
