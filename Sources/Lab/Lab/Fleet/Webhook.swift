// SPDX-License-Identifier: Apache-2.0
import Base
import CCurl
import SystemKit

/// Posts the notices of `FleetService` to an address (`--webhook`), as ntfy takes them (docs.ntfy.sh/publish):
/// the text as the body, `Title`, `Priority` and `Tags` as header fields. On a thread, one after the other.
struct Webhook: Sendable {
    private let url: String
    private let limit: Duration
    private let queue = SerialQueue()

    /// Nil for anything but an address of http or https. `limit` is for one notice.
    init?(_ url: String, limit: Duration = .seconds(10)) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), studyd_curl_start() == CURLE_OK
        else { return nil }
        (self.url, self.limit) = (url, limit)
    }

    func send(_ notice: FleetNotice) async -> WebhookAnswer {
        let (url, limit) = (url, limit)
        return (try? await queue.run { Self.post(notice, to: url, within: limit) }) ?? .later("the program is ending")
    }

    /// Blocks.
    private static func post(_ notice: FleetNotice, to url: String, within limit: Duration) -> WebhookAnswer {
        guard let handle = curl_easy_init() else { return .later("libcurl cannot be started") }
        defer { curl_easy_cleanup(handle) }
        let lines = [
            "Content-Type: text/plain; charset=utf-8", "Title: \(field(notice.title))",
            "Priority: \(notice.priority)", "Tags: \(field(notice.tags))", "Expect:",
        ]
        let list = lines.reduce(nil) { curl_slist_append($0, $1) ?? $0 }
        defer { curl_slist_free_all(list) }
        studyd_curl_set_text(handle, CURLOPT_URL, url)
        studyd_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        studyd_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        studyd_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, 5000)
        studyd_curl_set_long(handle, CURLOPT_TIMEOUT_MS, Int(limit.milliseconds))
        studyd_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        studyd_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, notice.body)
        // The body of the response is discarded.
        studyd_curl_set_bytes(handle, CURLOPT_WRITEFUNCTION, { _, size, count, _ in size * count })
        var words = [UInt8](repeating: 0, count: Int(CURL_ERROR_SIZE))
        guard studyd_curl_perform(handle, &words) == CURLE_OK else {
            return .later(String(decoding: words.prefix { $0 != 0 }, as: UTF8.self))
        }
        return WebhookAnswer(status: Int(studyd_curl_status(handle)))
    }

    /// A header field's value: what is not ASCII becomes encoded words (RFC 2047 §2), which ntfy decodes.
    static func field(_ text: String) -> String {
        guard !text.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) else { return text }
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // A word has at most 75 characters and whole characters alone (§5); blanks between two do not count.
            if words[words.count - 1].count + bytes.count > longestWord { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\(Base64.encoded($0))?=" }.joined(separator: " ")
    }

    /// In bytes: 60 characters in Base64, and 12 for `=?UTF-8?B?` and `?=`.
    private static let longestWord = 45
}

/// What became of a notice; `FleetWatch` deletes it, or tries it again later.
enum WebhookAnswer: Sendable, Hashable {
    case taken
    /// It would be refused again.
    case refused(String)
    case later(String)

    init(status: Int) {
        switch status {
        case 200..<300: self = .taken
        // RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4: the same request may succeed later.
        case 408, 425, 429, 500...: self = .later("status \(status)")
        default: self = .refused("status \(status)")
        }
    }
}
