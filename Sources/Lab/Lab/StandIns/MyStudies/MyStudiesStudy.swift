// SPDX-License-Identifier: Apache-2.0

/// A study of FDA MyStudies as the files of its folder say, which are what the platform's
/// servers would answer.
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
    /// Nil = anybody may enrol without a token.
    let tokens: Set<String>?
    /// Tokens and keys, in capitals, of participants whom the study's staff have withdrawn without
    /// the participant's doing: they are still known, and refused.
    private let withdrawn: Set<String>
    /// Values of participant properties by enrolment token.
    let properties: MyStudiesProperties
    /// What a researcher would want to know: nothing that keeps the study from being served.
    let remarks: [String]
    /// What studyUpdates compares.
    let fingerprint: MyStudiesFingerprint
    /// Files by name without `.json`.
    private let files: [String: MyStudiesFile]
    /// Names of files by activity and version, `FKC-74 1.0`.
    private let activities: [String: String]
    private let designs: [String: MyStudiesDesign]

    /// Throws where the files of the folder `path` are no study.
    init(_ files: [String: MyStudiesFile], at path: String) throws {
        var activities: [String: String] = [:]
        var designs: [String: MyStudiesDesign] = [:]
        var id: String?
        var doubles: [String] = []
        let documents = files.filter { $0.key.hasSuffix(".json") }
        for (file, content) in documents.sorted(by: { $0.key < $1.key }) {
            guard let activity = content.root?["activity"], let metadata = activity["metadata"],
                let activityID = metadata["activityId"]?.string
            else { continue }
            let key = Self.key(activityID, metadata["version"]?.string ?? "1.0")
            if let first = activities[key] {
                doubles.append("\(file) holds \(key) as \(first).json does, which counts")
                continue
            }
            activities[key] = String(file.dropLast(5))
            designs[key] = MyStudiesDesign(activity)
            if let written = metadata["studyId"]?.string, !written.isEmpty { id = written }
        }
        if let written = files["study.json"]?.root?["studyId"]?.string, !written.isEmpty { id = written }
        guard !activities.isEmpty, let id else {
            throw MyStudiesFailure("\(path) contains no activity of FDA MyStudies")
        }
        state = try MyStudiesState(files["study.json"]?.root, path: path + "/study.json")
        (self.id, writtenID) = (id.uppercased(), id)
        (self.activities, self.designs) = (activities, designs)
        self.files = documents.reduce(into: [:]) { $0[String($1.key.dropLast(5))] = $1.value }
        tokens = files["tokens.txt"]?.words
        withdrawn = files["withdrawn.txt"]?.words ?? []
        properties = MyStudiesProperties(
            definitions: files["participantProperties.json"]?.root,
            values: files["participantProperties-values.json"]?.root)
        remarks = doubles + Self.remarks(designs, list: files["activityList.json"]?.root, tokens: tokens)
        fingerprint = try MyStudiesFingerprint(self.files.mapValues { $0.root ?? .null }, activities: activities.values)
    }

    private static func remarks(
        _ designs: [String: MyStudiesDesign], list: JSONValue?, tokens: Set<String>?
    ) -> [String] {
        let broken = designs.sorted { $0.key < $1.key }.flatMap { name, design in
            design.problems.map { "\(name): the Response server would not take it: \($0)" }
        }
        let missing = (list?["activities"]?.array ?? []).compactMap { activity -> String? in
            let id = activity["activityId"]?.string ?? ""
            let version = activity["activityVersion"]?.string ?? "1.0"
            guard designs[key(id, version)] == nil else { return nil }
            return "activityList.json names \(id) in version \(version), but there is no such file"
        }
        let slips = (tokens ?? []).filter { !MyStudiesToken.isValid($0) }.sorted()
        return broken + missing + slips.map { "tokens.txt: the check letter of \($0) is wrong" }
    }

    /// The design of an activity in a version.
    func design(_ activity: String, _ version: String) -> MyStudiesDesign? { designs[Self.key(activity, version)] }

    /// The metadata of an activity in a version.
    func activity(_ activity: String, _ version: String) -> MyStudiesFile? {
        activities[Self.key(activity, version)].flatMap { files[$0] }
    }

    /// The file of that name without `.json`.
    func file(_ name: String) -> JSONValue? { files[name]?.root }

    /// True for whom the staff have withdrawn.
    func hasWithdrawn(key: String, token: String?) -> Bool {
        withdrawn.contains(key.uppercased()) || token.map { withdrawn.contains($0.uppercased()) } == true
    }

    private static func key(_ activity: String, _ version: String) -> String { activity + " " + version }
}

/// Why a folder cannot be served.
struct MyStudiesFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension JSONValue {
    /// The member of that name; nil for other values than objects.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    var bool: Bool? { if case .boolean(let value) = self { value } else { nil } }
    var isNull: Bool { if case .null = self { true } else { false } }
    /// The members of an object, none for anything else.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// An object with that member, in its place where it had one.
    func with(_ name: String, _ value: JSONValue) -> JSONValue {
        guard members.contains(where: { $0.name == name }) else {
            return .object(members + [Member(name: name, value: value)])
        }
        return .object(members.map { $0.name == name ? Member(name: name, value: value) : $0 })
    }
}
