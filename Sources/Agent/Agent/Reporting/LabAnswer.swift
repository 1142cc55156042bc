// SPDX-License-Identifier: Apache-2.0
import Base

/// What the lab's receiver answered to a report or a manifest of `ReportService`. Pure.
enum LabAnswer: Sendable, Hashable {
    /// What it says it has received: the number of a report, or the day of a manifest.
    case received(String)
    /// 401: it does not know this device's key, or takes its signature for none.
    case keyUnknown
    /// The same, and it says that the enrolment code that came with it is not good.
    case codeRefused
    /// 403: the device was revoked.
    case revoked
    /// 400, 413, 415 or 422, in its own words: it will say the same next time.
    case refused(String)
    /// Not there, busy, or something else answered. `retryAfter` zero = no wait was asked for.
    case unavailable(String, retryAfter: Duration)

    init(_ response: HTTPResponse) {
        if let foreign = ForeignAnswer(response) {
            self = .unavailable(foreign.reason, retryAfter: .zero)
            return
        }
        let words = "answered \(response.status) \(Self.said(response))".oneLine(220)
        self =
            switch response.status {
            case 200:
                Self.receipt(response).map { .received($0) }
                    ?? .unavailable("\(words), which is no receipt", retryAfter: .zero)
            case 401: response[EnrolmentCode.field] == EnrolmentCode.refused ? .codeRefused : .keyUnknown
            case 403: .revoked
            case 400, 413, 415, 422: .refused(words)
            default: .unavailable(words, retryAfter: response.retryAfter ?? .zero)
            }
    }

    /// What the receiver says of a refusal, without the JSON around it; else how the body begins.
    private static func said(_ response: HTTPResponse) -> String {
        let node = response.json
        let parts = ["error", "remedy"].compactMap { (name: String) -> String? in
            if case .string(let text)? = node?[name]?.content { text } else { nil }
        }
        if !parts.isEmpty { return parts.joined(separator: "; ") }
        return String(decoding: response.body.prefix(200), as: UTF8.self)
    }

    private static func receipt(_ response: HTTPResponse) -> String? {
        switch response.json?["received"]?.value {
        case .spelled(let number)?: number
        case .string(let text)?: text
        default: nil
        }
    }

    /// Why it did not take it, for status and journal; nil where it did, and for `unavailable`, which
    /// says nothing new: the fault before it stays (`ReportStatus`).
    var fault: Explanation? {
        switch self {
        case .received: nil
        case .keyUnknown:
            Explanation(
                place: "report", cause: "the lab's receiver does not know this device's key (401)",
                remedy: "have the lab approve it ('study-receiver devices'), or enrol with --device-key-file")
        case .codeRefused:
            Explanation(
                place: "report",
                cause: "the lab's receiver knows neither this device's key nor its enrolment code (401)",
                remedy:
                    "a code is good once, for its participant, and until its time is over: have the lab approve the key ('study-receiver devices')"
            )
        case .revoked:
            Explanation(
                place: "report", cause: "the lab's receiver has revoked this device (403); everything is kept on it",
                remedy: "ask the lab")
        case .refused(let words):
            Explanation(
                place: "report", cause: "the lab's receiver does not take reports: \(words)",
                remedy: "check that its version fits this one")
        case .unavailable: nil
        }
    }

    var words: String {
        switch self {
        case .received: "received"
        case .keyUnknown: "key unknown (401)"
        case .codeRefused: "enrolment code refused (401)"
        case .revoked: "revoked (403)"
        case .refused(let words): words
        case .unavailable(let reason, _): "not received: \(reason)"
        }
    }
}
