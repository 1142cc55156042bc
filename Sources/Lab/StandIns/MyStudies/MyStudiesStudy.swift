// SPDX-License-Identifier: Apache-2.0
import Lab

/// A study of FDA MyStudies as the files of its folder say, which are what the platform's servers would answer.
/// `MyStudiesRepository` reads it.
///
/// `activityList.json`; one `.json` with an `activity` for each activity and version; `study.json`
/// with the version and the status (`MyStudiesState`); `<call>.json` for the other calls of the
/// metadata server; `tokens.txt` with an enrolment token a line (without it the study has no token
/// batches); `withdrawn.txt`; `participantProperties-values.json`; `accounts.json`.
struct MyStudiesStudy: Sendable {
    /// In capitals, as the Response server compares it.
    let id: String
    /// As it is written in the activities' metadata.
    let writtenID: String
    /// Version, status and what the study list shows.
    let state: MyStudiesState
    /// Nil = enrolment needs no token.
    let tokens: Set<String>?
    /// Tokens and keys, in capitals, of participants whom the study's staff have withdrawn without
    /// the participant's doing: they are still known, and refused.
    private let withdrawn: Set<String>
    /// Values of participant properties by enrolment token.
    let properties: MyStudiesProperties
    /// For the researcher, in words; none of these keeps the study from being served.
    let warnings: [String]
    /// Files by name without `.json`.
    private let files: [String: JSONValue]
    /// Metadata and designs by activity and version.
    private let activities: [Version: (root: JSONValue, design: MyStudiesDesign)]

    private struct Version: Hashable {
        let activity: String
        let version: String
        var text: String { activity + " " + version }
    }

    /// Whether a file of a study's folder is read, by its name: JSON, and lists of words.
    static func isRead(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name == "tokens.txt" || name == "withdrawn.txt")
    }

    /// JSON, or the words of a plain text, in capitals.
    static func parse(_ path: String, _ bytes: [UInt8]) throws -> JSONValue {
        guard !path.hasSuffix(".json") else { return try StandInFailure.json(bytes, path) }
        let words = String(decoding: bytes, as: UTF8.self).uppercased().split(whereSeparator: \.isWhitespace)
        return .array(words.map { .string(String($0)) })
    }

    /// Throws where the files of the folder `path`, by their paths, are no study.
    init(_ contents: [String: JSONValue], at path: String) throws {
        var activities: [Version: (root: JSONValue, design: MyStudiesDesign)] = [:]
        var files: [String: JSONValue] = [:]
        var id: String?
        var doubles: [String] = []
        var firsts: [Version: String] = [:]
        // By file name, so that of two files with one activity and version the first counts.
        for (file, root) in contents.sorted(by: { $0.key < $1.key }) where file.hasSuffix(".json") {
            let name = String(file.dropFirst(path.count + 1).dropLast(5))
            files[name] = root
            guard let activity = root["activity"], let metadata = activity["metadata"],
                let activityID = metadata["activityId"]?.string
            else { continue }
            let key = Version(activity: activityID, version: metadata["version"]?.string ?? "1.0")
            if let first = firsts[key] {
                doubles.append("\(name).json holds \(key.text) as \(first).json does, which counts")
                continue
            }
            firsts[key] = name
            activities[key] = (root, MyStudiesDesign(activity))
            if let written = metadata["studyId"]?.string, !written.isEmpty { id = written }
        }
        if let written = files["study"]?["studyId"]?.string, !written.isEmpty { id = written }
        guard !activities.isEmpty, let id else { throw StandInFailure("\(path) contains no activity of FDA MyStudies") }
        state = try MyStudiesState(files["study"], path: path + "/study.json")
        (self.id, writtenID) = (id.uppercased(), id)
        (self.activities, self.files) = (activities, files)
        func words(_ name: String) -> Set<String>? {
            contents[path + "/" + name]?.array.map { Set($0.compactMap(\.string)) }
        }
        (tokens, withdrawn) = (words("tokens.txt"), words("withdrawn.txt") ?? [])
        properties = MyStudiesProperties(
            definitions: files["participantProperties"], values: files["participantProperties-values"])
        warnings = doubles + Self.warnings(activities.mapValues(\.design), list: files["activityList"], tokens: tokens)
    }

    private static func warnings(
        _ designs: [Version: MyStudiesDesign], list: JSONValue?, tokens: Set<String>?
    ) -> [String] {
        let broken = designs.sorted { $0.key.text < $1.key.text }.flatMap { key, design in
            design.problems.map { "\(key.text): the Response server would not take it: \($0)" }
        }
        let missing = (list?["activities"]?.array ?? []).compactMap { activity -> String? in
            let id = activity["activityId"]?.string ?? ""
            let version = activity["activityVersion"]?.string ?? "1.0"
            guard designs[Version(activity: id, version: version)] == nil else { return nil }
            return "activityList.json names \(id) in version \(version), but there is no such file"
        }
        let wrongTokens = (tokens ?? []).filter { !MyStudiesToken.isValid($0) }.sorted()
        return broken + missing + wrongTokens.map { "tokens.txt: the check letter of \($0) is wrong" }
    }

    func design(_ activity: String, _ version: String) -> MyStudiesDesign? {
        activities[Version(activity: activity, version: version)]?.design
    }

    /// The whole file of an activity in a version, which is what the metadata server answers.
    func activity(_ activity: String, _ version: String) -> JSONValue? {
        activities[Version(activity: activity, version: version)]?.root
    }

    /// The activity of a list of the Response server, and the list's columns in all versions.
    func list(_ name: String) -> (activity: String, columns: [String])? {
        var found: (activity: String, columns: [String])?
        for (key, entry) in activities.sorted(by: { $0.key.text < $1.key.text }) {
            guard let columns = entry.design.columns(of: name, in: key.activity) else { continue }
            found = (key.activity, (found?.columns ?? []) + columns)
        }
        return found
    }

    /// Null where the study has none.
    var consent: JSONValue { file("eligibilityConsent") ?? .null }

    /// The file of that name without `.json`.
    func file(_ name: String) -> JSONValue? { files[name] }

    /// True for a participant whom the staff have withdrawn.
    func hasWithdrawn(key: String, token: String?) -> Bool {
        withdrawn.contains(key.uppercased()) || token.map { withdrawn.contains($0.uppercased()) } == true
    }
}
