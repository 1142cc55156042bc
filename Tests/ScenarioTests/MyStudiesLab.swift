// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The stand-in of FDA MyStudies serving the example study with one token, and a device
/// configured for it.
struct MyStudiesLab {
    static let consent =
        #"{"version":"1.0","recordedBy":"A. Nurse","representative":"","eligible":true,"sharing":"false"}"#

    let stage: Stage
    let receiver: LabReceiver
    /// The folder that is served; what changes in it changes at the servers.
    let served: String

    /// `table` is added to `[mystudies]`, `files` to the folder.
    init(
        _ stage: Stage, wishes: [String] = [], latency: String = "0s", table: String = "", files: [String: String] = [:]
    ) async throws {
        self.stage = stage
        served = stage.folder + "/served"
        let copied = try stage.start(["cp", "-r", Programs.package + "/studies/mystudies", served])
        try #require(await copied.ended() == 0)
        try Self.withoutKicks(served + "/activityList.json")
        try Files.write("ABCDEFGHI\nQWERTYUIE\n", to: served + "/tokens.txt")
        for (name, text) in files { try Files.write(text, to: served + "/" + name) }
        receiver = try await LabReceiver(
            stage, more: ["--mystudies", served, "--strict", "--application", "ios:org.box:secret"])
        try stage.configure(recordings: nil, measures: [])
        try Files.write("secret\n", to: stage.folder + "/credential")
        let closed = try stage.start(["chmod", "600", stage.folder + "/credential"])
        try #require(await closed.ended() == 0)
        let text = """

            [mystudies]
            response = "\(receiver.address)/mystudies"
            application = "org.box"
            organisation = "clinic"
            credential = "\(stage.folder)/credential"
            zone = "UTC"
            \(table)
            """
        try Files.write(Files.text(stage.folder + "/studyd.toml") + text, to: stage.folder + "/studyd.toml")
        try Files.write(Self.consent, to: stage.folder + "/consent.json")
        try stage.board(.init(participant: "{\"latency\":\"\(latency)\",\"otherwise\":\"first\"}", wishes: wishes))
    }

    /// The count of kicks is asked for by day and takes its time: tests of other things at ten in
    /// the morning would wait for it. It begins in another year.
    private static func withoutKicks(_ path: String) throws {
        let text = Files.text(path)
        guard let name = text.firstRange(of: "\"activityId\": \"Kicks\""),
            let start = text[name.upperBound...].firstRange(of: "\"startTime\": \"2026")
        else { throw Complaint("\(path) has no count of kicks") }
        try Files.write(text.replacingCharacters(in: start, with: "\"startTime\": \"2027"), to: path)
    }

    func enrol() async throws {
        let enrolled = try await stage.studyd("enroll", receiver.address + "/mystudies", "--token", "ABCDEFGHI")
        guard enrolled.code == 0 else { throw Complaint("enroll: \(enrolled.errors)") }
    }

    /// Replaces a text in a served file; fails where it is not there.
    func edit(_ name: String, _ text: String, by other: String) throws {
        let path = served + "/" + name
        let old = Files.text(path)
        guard let place = old.firstRange(of: text) else { throw Complaint("\(name) does not hold \(text)") }
        try Files.write(old.replacingCharacters(in: place, with: other), to: path + ".new")
        guard rename(path + ".new", path) == 0 else { throw Complaint("\(path) cannot be renamed") }
    }

    /// Has the device look at its servers at once; gives what it found.
    func poll() async throws -> String {
        let looked = try await stage.studyd("update-study")
        guard looked.code == 0 else { throw Complaint("update-study: \(looked.errors)") }
        return looked.output
    }

    /// The same where the server has a version that the device refuses; gives why.
    func pollRefused() async throws -> String {
        let looked = try await stage.studyd("update-study")
        guard looked.code == 1 else { throw Complaint("update-study: \(looked)") }
        return looked.errors
    }

    func runs() async throws -> [JSON] { try await receiver.get("/api/mystudies/runs").list }
}
