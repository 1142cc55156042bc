// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// The stand-in of ESMira serving a study, and a device for it.
struct ESMiraLab {
    let stage: Stage
    let receiver: LabReceiver
    /// The file that is served; what changes in it changes at the server.
    let file: String

    /// One questionnaire that can be filled out at any time, and one that is asked for a
    /// second after joining.
    static let study = """
        {"id": 7, "version": 1, "title": "Days", "published": true, "accessKeys": ["mood"], "lang": "en", "questionnaires": [
        {"internalId": 71, "title": "Now", "pages": [{"inputs": [{"name": "mood", "responseType": "likert", "required": true, "text": "How are you?"}]}]},
        {"internalId": 72, "title": "Later", "completableOncePerNotification": true, "completableMinutesAfterNotification": 600, "pages": [
        {"inputs": [{"name": "calm", "responseType": "binary", "text": "Calm?", "leftSideLabel": "no", "rightSideLabel": "yes"}]}],
        "actionTriggers": [{"actions": [{"type": 1, "msgText": "Please answer", "timeout": 600}], "schedules": [],
        "eventTriggers": [{"cueCode": "joined", "delaySec": 1}]}]}]}
        """

    init(_ stage: Stage, participant: String, wishes: [String], study: String = study) async throws {
        self.stage = stage
        file = stage.folder + "/served.json"
        try Files.write(study, to: file)
        receiver = try await LabReceiver(stage, more: ["--esmira", file])
        try stage.configure(recordings: nil, measures: [])
        try stage.board(.init(participant: participant, wishes: wishes))
    }

    /// Joins as a phone does.
    func enrol(_ key: String = "mood") async throws -> Stage.Finished {
        try await stage.studyd("enroll", receiver.address + "/esmira/", "--access-key", key)
    }

    /// Replaces a text of the served study.
    func edit(_ text: String, by other: String) throws {
        let old = Files.text(file)
        guard let place = old.firstRange(of: text) else { throw Complaint("the study does not hold \(text)") }
        try Files.write(old.replacingCharacters(in: place, with: other), to: file + ".new")
        guard rename(file + ".new", file) == 0 else { throw Complaint("\(file) cannot be renamed") }
    }

    /// Has the device look at its server at once; gives what it found.
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

    /// The rows of a table, as lines.
    func rows(_ table: String) async throws -> [String] {
        let asked = try stage.start(["curl", "-sSf", receiver.address + "/api/esmira/7/\(table).csv"])
        guard try await asked.ended() == 0 else { throw Complaint("\(table): \(asked.errors)") }
        return asked.output.split(separator: "\n").dropFirst().map(String.init)
    }

    func control(_ path: String, _ body: String = "") async throws {
        let asked = try stage.start(["curl", "-sSf", "--data", body, receiver.address + "/control/esmira/" + path])
        guard try await asked.ended() == 0 else { throw Complaint("\(path): \(asked.errors)") }
    }
}
