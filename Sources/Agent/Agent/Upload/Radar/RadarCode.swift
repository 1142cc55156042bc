// SPDX-License-Identifier: Apache-2.0
import Base

/// What a QR code of RADAR-base holds, as text (radar-prmt-android `LoginActivityImpl.kt`,
/// radar-self-enrolment-ui `authLink.ts`), or what somebody typed of it; `RadarServer` exchanges it. Pure.
struct RadarCode: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        /// Is exchanged for a refresh token, once: after the first fetch it is used up.
        case metaToken(String)
        case refreshToken(String)
        /// A refresh token of an Ory Hydra, by the self-enrolment portal.
        case portal(String)
    }

    let form: Form
    /// The host that the code names; nil where it names none.
    let host: String?

    init(parsing text: String) throws(RadarCodeError) {
        let text = text.filter { !$0.isNewline }.trimmed
        if text.hasPrefix("{") {
            host = nil
            form = .refreshToken(try Self.member("refreshToken", of: text))
        } else if let query = text.split(separator: "?", maxSplits: 1).last, text.contains("://login?") {
            let fields = Self.fields(query)
            guard let data = fields["data"], let referrer = fields["referrer"] else {
                throw RadarCodeError("has not both 'data' and 'referrer'")
            }
            host = Self.host(referrer)
            form = .portal(try Self.member("refresh_token", of: data))
        } else if let place = text.firstRange(of: "/api/meta-token/"), text.lowercased().hasPrefix("http") {
            host = Self.host(text)
            form = .metaToken(try Self.checked(text[place.upperBound...]))
        } else {
            let words = text.split(whereSeparator: \.isWhitespace)
            guard (1...2).contains(words.count), let last = words.last else {
                throw RadarCodeError(text.isEmpty ? "is empty" : "is none of RADAR-base's QR codes")
            }
            host = words.count == 2 ? Self.host(String(words[0])) : nil
            let isJWT = last.utf8.count > 100 && last.split(separator: ".").count == 3
            form = isJWT ? .refreshToken(String(last)) : .metaToken(try Self.checked(last))
        }
    }

    /// The kind of code, for a person; without the secret.
    var words: String {
        switch form {
        case .metaToken: "token of ManagementPortal"
        case .refreshToken: "refresh token"
        case .portal: "refresh token of the enrolment portal"
        }
    }

    /// ManagementPortal's own rule for them (`MetaTokenResource`).
    private static func checked(_ token: Substring) throws(RadarCodeError) -> String {
        let isPlain = token.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
                || byte == 46
        }
        guard isPlain, (1...64).contains(token.utf8.count) else {
            throw RadarCodeError("has no token of letters, digits, '-' and '.' at its end")
        }
        return String(token)
    }

    private static func member(_ key: String, of text: String) throws(RadarCodeError) -> String {
        guard let node = try? JSONNode(Array(text.utf8)), let token = node[key]?.text, !token.isEmpty else {
            throw RadarCodeError("has no '\(key)'")
        }
        return token
    }

    private static func fields(_ query: Substring) -> [String: String] {
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map { ($0[0], PercentCode.decoded($0[1], plusIsSpace: false) ?? $0[1]) }
        ) { first, _ in first }
    }

    /// `radar.example:8080` of an address, or of a host alone.
    private static func host(_ address: String) -> String? {
        let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address[...]
        let host = rest.prefix { !"/?#".contains($0) }.lowercased()
        return host.isEmpty ? nil : host
    }
}

/// Why a text is no code; without the text, which is a secret.
struct RadarCodeError: ExplainedError, Sendable, Hashable {
    let cause: String
    init(_ cause: String) { self.cause = cause }
    var explanation: Explanation {
        Explanation(
            cause: "the enrolment code \(cause)",
            remedy: "write what the QR code of ManagementPortal says, as one line, or its host and token")
    }
}
