// SPDX-License-Identifier: Apache-2.0
import Base
import FoundationEssentials
import Study

/// The servers of FDA MyStudies as an enrolment needs them. Blocks: call it on a thread of its own.
package struct MyStudiesServer: Sendable {
    /// More activities than this are no study.
    static let mostActivities = 1_000

    let settings: MyStudiesSettings
    let device: any PlatformDevice

    package init(_ settings: MyStudiesSettings, over device: any PlatformDevice) {
        self.settings = settings
        self.device = device
    }

    /// The study that a token belongs to. The token's letters are checked before anything is sent.
    package func study(of token: EnrolmentToken) throws -> String {
        let answer = try post("resolveEnrollmentToken", ["token": token.text])
        guard let study = Self.text(answer["studyId"]), !study.isEmpty else {
            throw PlatformServerError("the server knows the token but names no study")
        }
        return study
    }

    /// Looks whether the token may enrol, without using it up; gives what is known of its
    /// participant beforehand, by property.
    package func validate(_ token: EnrolmentToken, study: String) throws -> [String: String] {
        let answer = try post("validateEnrollmentToken", ["studyId": study, "token": token.text])
        // The document puts it into `data`, the server beside it.
        let list = answer["preEnrollmentParticipantProperties"] ?? answer["data"]?["preEnrollmentParticipantProperties"]
        guard case .array(let entries)? = list?.content else { return [:] }
        return entries.prefix(1_000).reduce(into: [:]) { known, entry in
            if let id = Self.text(entry["propertyId"]), let value = Self.text(entry["value"]) { known[id] = value }
        }
    }

    /// Enrols, and gives the key by which results name the participant. Not repeated by itself: a
    /// token can be used once.
    package func enroll(_ token: EnrolmentToken?, study: String, sharing: String) throws -> String {
        var parameters = ["studyId": study, "allowDataSharing": sharing]
        parameters["token"] = token?.text
        parameters["language"] = settings.language
        let answer = try post("enroll", parameters)
        guard let key = Self.text(answer["data"]?["appToken"]), !key.isEmpty else {
            throw PlatformServerError(
                "the server enrolled the participant but returned no key",
                remedy: "ask the study team before trying again")
        }
        return key
    }

    /// As iOS sends it: parameters in the query, an empty body.
    private func post(_ action: String, _ parameters: [String: String]) throws -> JSONNode {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.encoded($0.value))" }
        let url = settings.address(of: action) + "?" + query.joined(separator: "&")
        let response = try device.send(WireRequest(method: "POST", url: url, headers: headers, body: []))
        let answer = try? JSONNode(response.body)
        guard response.status == 200, let answer else {
            let reason = Self.text(answer?["exception"]) ?? Self.text(answer?["message"])
            throw PlatformServerError(
                reason ?? "the server answered with status \(response.status)", at: settings.address(of: action))
        }
        return answer
    }

    /// An answer of the study metadata server.
    func metadata(_ name: String, _ query: [(String, String)], _ base: String) throws -> [UInt8] {
        let folder = base.hasSuffix("/StudyMetaData") ? base : base + "/StudyMetaData"
        let words = query.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var headers = headers
        if let application = settings.application, let secret = try settings.credential.map(device.secret) {
            let pair = Data("\(application):\(secret)".utf8).base64EncodedString()
            headers.append(.init(name: "Authorization", value: "Basic " + pair))
        }
        let address = "\(folder)/\(name)" + (words.isEmpty ? "" : "?" + words)
        return try device.get(address, headers: headers)
    }

    /// Sent with every call, as the apps do.
    var headers: [WireRequest.Header] { settings.headers }

    static func text(_ node: JSONNode?) -> String? {
        if case .string(let text)? = node?.content { text } else { nil }
    }

    /// For a query: everything but letters, digits and `-._~` as `%HH`.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [45, 46, 95, 126].contains(byte)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + byte.padded(2, radix: 16).uppercased()
        }.joined()
    }
}
