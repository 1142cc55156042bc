// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// One study in the folder of a study-receiver, read while that may be running: what `study-receiver export`
/// writes datasets of.
package final class LabFolder: StudyDataset {
    package let study: String
    package let codebook: Codebook
    package let participants: [Participant]
    package let latest: Instant
    package private(set) var issues: [DatasetIssue]

    private let uploads: LabUploads
    /// The archives of SageResearch.
    private let archives: LabArchives
    private let submissions: LabSubmissions
    private let platforms: LabPlatforms
    private let fleet: LabFleet?
    private let logs: LabLogs
    private let databases: LabDatabases

    /// `study` may be nil where the folder holds one; `studyFiles` are read beside those that the
    /// receiver keeps of what it serves. Throws where the folder is no lab's, and where it holds
    /// several studies, or not that one; the error lists those that it holds. `keys` open what came encrypted.
    /// `seeds` are seeds of draws, by enrolment, that no device has sent yet.
    package init(
        _ directory: String, study: String?, studyFiles: [String] = [], keys: [CMSKey] = [],
        seeds: [String: String] = [:]
    ) throws {
        guard let databases = try LabDatabases(in: directory) else {
            throw FileError(
                path: directory, message: "is not the data folder of a study-receiver",
                remedy: "use the folder that study-receiver has as --data; it holds receiver.sqlite")
        }
        try databases.fleet?.need("clockError", of: "prompt")
        self.databases = databases
        let archive = databases.archive
        let census = try LabCensus(databases, study: study)
        let study = try census.choose(study, in: directory)
        self.study = study
        let (codebook, unread) = try CodebookReader.read(study, kept: directory + "/studies", given: studyFiles)
        self.codebook = codebook
        submissions = LabSubmissions(archive, study: study)
        platforms = LabPlatforms(databases, study: study, shortNames: census.shortNames(of: study))
        uploads = LabUploads(archive, directory: directory, study: study, isOnlyStudy: census.studies.count < 2)
        archives = LabArchives(archive, directory: directory, keys: keys, study: study, census: census)
        fleet = try databases.fleet.map { try LabFleet($0, databases, study: study) }
        let devices = try ReadOnlyDatabase(directory + "/devices.sqlite")
        logs = try LabLogs(directory, archive, devices: devices, study: study, seeds: seeds)
        participants = census.participants(of: study)
        latest = try census.latest()
        issues = unread
        if codebook.items.isEmpty {
            issues.append(
                .init(
                    .noCodebook, "",
                    "the study's words are not here: give its file, or its folder, with --study-file"))
        }
        issues += census.studies.filter { $0 != study }.map {
            DatasetIssue(.otherStudy, "", "the folder also holds study \($0), which is not in this dataset")
        }
        issues += logs.issues
        issues += try uploads.unassigned() + archives.unassigned() + sharedDevices()
    }

    package func items() throws -> [String] {
        let known = codebook.items.map(\.item)
        let found = Set(try submissions.items() + platforms.items() + archives.items())
        return known.filter(found.contains).uniqued() + found.subtracting(known).sorted()
    }

    package func record(of participant: Participant) throws -> ParticipantRecord {
        var record = ParticipantRecord(participant)
        // Each source adds its part; `fleet` also sets the prompts.
        try uploads.add(to: &record)
        if let fleet { try fleet.add(to: &record, at: latest) }
        try submissions.add(to: &record)
        try platforms.add(to: &record)
        try archives.add(to: &record)
        record.files.sort { ($0.name, $0.sha256) < ($1.name, $1.sha256) }
        // Only when all submissions are here can each get its prompt and its enrolment.
        PromptLink(record.prompts, codebook, participant.enrolments).link(&record.submissions)
        for place in record.submissions.indices {
            let answered = record.submissions[place].answered
            record.submissions[place].enrolment =
                record.submissions[place].enrolment ?? Self.enrolment(of: participant, at: answered)
        }
        record.submissions.sort { ($0.answered.instant, $0.id) < ($1.answered.instant, $1.id) }
        record.missing.sort {
            ($0.day?.daysSinceEpoch ?? .max, $0.kind.rawValue, $0.name) < (
                $1.day?.daysSinceEpoch ?? .max, $1.kind.rawValue, $1.name
            )
        }
        let isReported = !record.prompts.isEmpty || fleet?.knows(participant.id) == true
        record.issues += Self.issues(of: record, isReported: isReported)
        return record
    }

    package func trial() throws -> StudyTrial? { logs.trial }

    /// Whether another program has written since the folder was opened: what came then is not in this dataset.
    package func hasChanged() -> Bool { databases.hasChanged() }

    /// The participant's only enrolment, else the latest that had begun; nil where the begin of one is unknown.
    private static func enrolment(of participant: Participant, at time: StudyTime) -> String? {
        guard participant.enrolments.count > 1 else { return participant.enrolments.first?.id }
        guard participant.enrolments.allSatisfy({ $0.began != nil }) else { return nil }
        return participant.enrolments.last { $0.began.map { $0 <= time } ?? false }?.id
    }

    private static func issues(of record: ParticipantRecord, isReported: Bool) -> [DatasetIssue] {
        let id = record.participant.id
        var issues: [DatasetIssue] = []
        if record.devices.count > 1 {
            let names = record.devices.map(String.init).joined(separator: ", ")
            issues.append(.init(.participantOnTwoDevices, id, "recorded by the devices \(names)"))
        }
        issues += record.clockIssues
        if !isReported {
            issues.append(.init(.noReports, id, "no report came: its prompts are unknown, and so is what is missing"))
        }
        return issues
    }

    /// Devices that recorded for more than one participant of the study.
    private func sharedDevices() throws -> [DatasetIssue] {
        var owners: [UInt32: Set<String>] = [:]
        for participant in participants {
            for device in try uploads.devices(of: participant) { owners[device, default: []].insert(participant.id) }
        }
        return owners.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { device, people in
            DatasetIssue(
                .deviceOfTwoParticipants, "",
                "device \(device) recorded for \(people.sorted().joined(separator: " and "))")
        }
    }
}

extension Array where Element: Hashable {
    /// Each element once, in the order of their first places.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
