// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Consent as an assistant recorded it before a device was given out; a box cannot show a
/// consent document.
///
/// Read by `studyd enroll`, `update-study`, `provision` and `takeover` from a JSON file such as
/// `{"version":"1.0","recordedBy":"A. Nurse","representative":"","eligible":true,
/// "sharing":"true","date":"2026-11-20"}`.
package struct ConsentRecord: Sendable, Hashable {
    private static let keys = ["version", "recordedBy", "representative", "eligible", "sharing", "date"]
    private static let sharingChoices = ["true", "false", "NA"]

    package let version: String
    private let recordedBy: String
    /// Who consented for the participant; empty where they did themselves.
    private let representative: String
    /// Whether data may be shared: `true`, `false` or `NA`, as the platform spells it; nil where the file has no
    /// choice.
    private let sharing: String?
    /// When it was signed; nil where the file does not say.
    private let date: LocalDate?

    /// Reads the file's text; throws what is wrong with it.
    package init(parsing bytes: [UInt8], file: String) throws {
        let root: JSONNode
        do { root = try JSONNode(bytes) } catch { throw FileError(path: file, message: "\(error)") }
        func text(_ key: String, _ remedy: String) throws -> String? {
            switch root[key]?.content {
            case nil, .null?: return nil
            case .string(let text)?: return text
            default:
                throw FileError(path: file, message: "\"\(key)\" is \(root[key]?.summary ?? "")", remedy: remedy)
            }
        }
        if case .object(let members) = root.content,
            let unknown = members.first(where: { !Self.keys.contains($0.key) })
        {
            throw FileError(
                path: file, message: "nothing is known of \"\(unknown.key)\"",
                remedy: "leave it out; there are \(Self.keys.joined(separator: ", "))")
        }
        let inQuotes = "write a text in quotation marks"
        let version = try text("version", inQuotes) ?? ""
        let recordedBy = try text("recordedBy", inQuotes) ?? ""
        guard [version, recordedBy].allSatisfy({ !$0.allSatisfy(\.isWhitespace) }) else {
            throw FileError(path: file, message: "needs non-empty texts \"version\" and \"recordedBy\"")
        }
        guard case .boolean(true)? = root["eligible"]?.content else {
            throw FileError(
                path: file, message: "does not say \"eligible\": true",
                remedy: "only eligible participants can be enrolled")
        }
        let choices = "write \"true\", \"false\" or \"NA\", each with its quotation marks"
        sharing = try text("sharing", choices)
        if let sharing, !Self.sharingChoices.contains(sharing) {
            throw FileError(path: file, message: "\"sharing\" is \"\(sharing)\"", remedy: choices)
        }
        let dated = "write the day as \"2026-11-20\""
        date = try text("date", dated).map { text in
            do { return try LocalDate(parsing: text) } catch {
                throw FileError(path: file, message: "\"date\" is \"\(text)\"", remedy: dated)
            }
        }
        self.version = version
        self.recordedBy = recordedBy
        representative = try text("representative", inQuotes) ?? ""
    }

    var asked: JoinRequest.Consent { .init(version: version, sharing: sharing) }

    /// Throws where it was signed after `today`.
    func refuseLater(than today: LocalDate) throws {
        guard let date, date > today else { return }
        throw FileError(
            path: "consent", message: "\"date\" is \(date), and today is \(today)",
            remedy: "correct the day on which it was signed")
    }

    /// For the event log: who, for whom, and the choice of sharing, which is `otherwise` where the file has none.
    func choice(otherwise: String) -> String {
        JSONText.object([
            "recordedBy": .string(recordedBy), "representative": .string(representative), "eligible": .boolean(true),
            "sharing": .string(sharing ?? otherwise), "date": date.map { .string("\($0)") },
        ]).text
    }
}
