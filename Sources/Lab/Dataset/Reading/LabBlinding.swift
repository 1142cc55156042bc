// SPDX-License-Identifier: Apache-2.0
import Base
import Database

/// What `BlindedDataset` leaves out of posts, for pages that show them as they come.
package actor LabBlinding {
    /// A participant in a study.
    package struct Name: Sendable, Hashable {
        package let participant: String
        package let study: String

        package init(_ participant: String, in study: String) { (self.participant, self.study) = (participant, study) }
    }

    private let directory: String
    /// Segments of logs that have been read; none ever changes.
    private var read: Set<String> = []
    /// By study, the tasks of rules in those segments.
    private var logged: [String: Set<String>] = [:]
    private var codebooks: [String: Codebook] = [:]

    /// `directory` is the data folder of the receiver that runs.
    package init(_ directory: String) { self.directory = directory }

    package func hidden(of names: Set<Name>) throws -> [Name: HiddenPosts] {
        let reports = try ReadOnlyDatabase(directory + "/fleet.sqlite")
        let ruled = try tasks(of: Set(names.map(\.study)), reports)
        var hidden: [Name: HiddenPosts] = [:]
        for name in names {
            guard let tasks = ruled[name.study], !tasks.isEmpty else { continue }
            let prompts = try reports.map { try LabFleet.prompts(of: name.participant, in: name.study, $0) } ?? []
            hidden[name] = HiddenPosts(tasks, PromptLink(prompts, codebook(of: name.study)))
        }
        return hidden
    }

    /// Those in which rules are known to decide.
    package func ruled(_ studies: Set<String>) throws -> Set<String> {
        let tasks = try tasks(of: studies, ReadOnlyDatabase(directory + "/fleet.sqlite"))
        return studies.filter { tasks[$0]?.isEmpty == false }
    }

    /// By study, the tasks of its rules: as the logs say, and as prompts that rules raised.
    private func tasks(of studies: Set<String>, _ reports: ReadOnlyDatabase?) throws -> [String: Set<String>] {
        if let archive = try ReadOnlyDatabase(directory + "/receiver.sqlite") { try readLogs(archive) }
        var tasks: [String: Set<String>] = [:]
        for study in studies {
            let raised = try reports?.connection.rows(
                "SELECT DISTINCT task FROM prompt WHERE study = ? AND instr(occurrence, '/rule.') > 0", study
            ) { try $0.string(0) }
            tasks[study] = logged[study, default: []].union(raised ?? [])
        }
        return tasks
    }

    private func readLogs(_ archive: ReadOnlyDatabase) throws {
        let paths = try LabLogs.latestPaths(directory, archive)
        for path in paths where !read.contains(path) {
            if let (study, tasks) = LabLogs.ruledTasks(path) { logged[study, default: []].formUnion(tasks) }
        }
        read = Set(paths)
    }

    private func codebook(of study: String) -> Codebook {
        if let known = codebooks[study] { return known }
        let found = try? CodebookReader.read(study, kept: directory + "/studies", given: []).codebook
        codebooks[study] = found ?? Codebook()
        return found ?? Codebook()
    }
}

/// What is hidden of one participant in a study with rules.
package struct HiddenPosts: Sendable {
    private let tasks: Set<String>
    private let link: PromptLink

    fileprivate init(_ tasks: Set<String>, _ link: PromptLink) { (self.tasks, self.link) = (tasks, link) }

    /// Whether a post of this answer is hidden; nil is a post of the app's log, which tells what was done with prompts.
    package func holds(_ submission: StudySubmission?) -> Bool {
        guard let submission else { return true }
        var linked = [submission]
        link.link(&linked)
        return linked.contains { $0.mayTellOfRules(tasks) }
    }
}
