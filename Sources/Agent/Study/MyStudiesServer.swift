// SPDX-License-Identifier: Apache-2.0
import StudyFormats
import StudyModel
import Upload

/// The servers of FDA MyStudies as an enrolment needs them. Blocks: call it on a thread of its own.
public struct MyStudiesServer: Sendable {
    /// More activities than this are no study.
    static let mostActivities = 1_000

    private let settings: MyStudiesSettings

    /// The servers of that configuration.
    public init(_ settings: MyStudiesSettings) { self.settings = settings }

    /// The study that a token belongs to. The token's letters are checked before anything is sent.
    public func study(of token: EnrolmentToken) throws -> String {
        let answer = try post("resolveEnrollmentToken", ["token": token.text])
        guard let study = Self.text(answer["studyId"]), !study.isEmpty else {
            throw MyStudiesServerError("the server knows the token but names no study")
        }
        return study
    }

    /// Everything the metadata server has of a study that a box can use: its list, each activity, and its texts where it has them.
    public func files(of study: String, at base: String) throws -> [StudySource.File] {
        let list = try metadata("activityList", [("studyId", study)], base)
        guard let root = try? JSONNode(list), case .array(let activities)? = root["activities"]?.content else {
            throw MyStudiesServerError("\(base): the answer to activityList is no list of activities")
        }
        guard activities.count <= Self.mostActivities else {
            throw MyStudiesServerError(
                "\(base): \(activities.count) activities; at most \(Self.mostActivities) are taken")
        }
        var files: [StudySource.File] = [
            .init(name: "activityList.json", bytes: list),
            .init(
                name: "study.json",
                bytes: Array(JSONText.object([.init("identifier", .string(study))]).text.utf8)),
        ]
        for activity in activities {
            guard let id = Self.text(activity["activityId"]) else { continue }
            let version = Self.text(activity["activityVersion"]) ?? "1.0"
            let query = [("studyId", study), ("activityId", id), ("activityVersion", version)]
            files.append(.init(name: "\(id)_\(version).json", bytes: try metadata("activity", query, base)))
        }
        return files
    }

    /// Looks whether the token may enrol, without using it up.
    public func validate(_ token: EnrolmentToken, study: String) throws {
        _ = try post("validateEnrollmentToken", ["studyId": study, "token": token.text])
    }

    /// Enrols, and gives the key by which results name the participant. Not repeated by itself: a token can be used once.
    public func enroll(_ token: EnrolmentToken?, study: String, sharing: String) throws -> String {
        var parameters = ["studyId": study, "allowDataSharing": sharing]
        parameters["token"] = token?.text
        parameters["language"] = settings.language
        let answer = try post("enroll", parameters)
        guard let key = Self.text(answer["data"]?["appToken"]), !key.isEmpty else {
            throw MyStudiesServerError("the server enrolled but gave no key; ask the study team before trying again")
        }
        return key
    }

    /// As iOS sends it: parameters in the query, an empty body.
    private func post(_ action: String, _ parameters: [String: String]) throws -> JSONNode {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.encoded($0.value))" }
        let url = settings.address(of: action) + "?" + query.joined(separator: "&")
        let response = try client().send(HTTPRequest(method: "POST", url: url, headers: headers, body: .bytes([])))
        let answer = try? JSONNode(response.body)
        guard response.status == 200, let answer else {
            let reason = Self.text(answer?["exception"]) ?? Self.text(answer?["message"])
            throw MyStudiesServerError(
                "\(settings.address(of: action)): " + (reason ?? "the server answered with status \(response.status)"))
        }
        return answer
    }

    private func metadata(_ name: String, _ query: [(String, String)], _ base: String) throws -> [UInt8] {
        let folder = base.hasSuffix("/StudyMetaData") ? base : base + "/StudyMetaData"
        let words = query.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var headers = headers
        if let application = settings.application, let secret = try settings.secret() {
            let pair = Base64Text.encoded(Array("\(application):\(secret)".utf8))
            headers.append(.init(name: "Authorization", value: "Basic " + pair))
        }
        return try StudyDownload(client()).get("\(folder)/\(name)?\(words)", headers: headers)
    }

    private var headers: [WireRequest.Header] {
        settings.language.map { [WireRequest.Header(name: "language", value: $0)] } ?? []
    }

    private func client() throws -> HTTPClient { try HTTPClient(userAgent: AgentVersion.userAgent) }

    private static func text(_ node: JSONNode?) -> String? {
        if case .string(let text)? = node?.content { text } else { nil }
    }

    /// For a query: everything but letters, digits and `-._~` as `%HH`.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [45, 46, 95, 126].contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }
}

/// What a server of FDA MyStudies refused, in its own words.
public struct MyStudiesServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In words; holds no secret.
    public let description: String

    /// A refusal in these words.
    public init(_ description: String) { self.description = description }
}

/// Base 64 (RFC 4648 §4), for the one header that needs it.
enum Base64Text {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place <= group.count ? letters[Int(word >> UInt32(18 - 6 * place) & 0x3F)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
