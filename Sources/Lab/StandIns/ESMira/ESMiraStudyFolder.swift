// SPDX-License-Identifier: Apache-2.0
import Lab

/// The studies of ESMira that are served: every `.json` of the folders, or single files.
actor ESMiraStudyFolder {
    private var folders: [ServedFolder<ESMiraStudy, [ESMiraStudy]>]
    private let store: ESMiraStore
    private let report: @Sendable (String) -> Void
    /// The tables of these are there.
    private var prepared: [Int: String] = [:]

    /// Throws where a file is no study, or where two are the same.
    init(_ paths: [String], store: ESMiraStore, report: @escaping @Sendable (String) -> Void) throws {
        (self.store, self.report) = (store, report)
        folders = try paths.map { path in
            let folder = try ServedFolder(
                path, where: { !$0.hasPrefix(".") && $0.hasSuffix(".json") },
                parse: { try ESMiraStudy(try StandInFailure.json($1, $0), path: $0) },
                join: { $0.sorted { $0.key < $1.key }.map(\.value) })
            guard !folder.whole.isEmpty else {
                throw StandInFailure("\(path) contains no study of ESMira; put the editor's study there")
            }
            return folder
        }
        try Self.checkTwins(folders.flatMap(\.whole))
    }

    /// All of them, in the order of their files' names.
    func all() async throws -> [ESMiraStudy] {
        for place in folders.indices where folders[place].refresh(report) {
            for study in folders[place].whole { report("study \(study.id) is read again: version \(study.version)") }
        }
        let studies = folders.flatMap(\.whole)
        try Self.checkTwins(studies)
        for study in studies {
            let columns = study.questionnaires.map { "\($0.id)\($0.columns.names)" }.joined()
            guard prepared[study.id] != columns else { continue }
            try await store.transaction { try $0.prepare(study) }
            prepared[study.id] = columns
        }
        return studies
    }

    private static func checkTwins(_ studies: [ESMiraStudy]) throws(StandInFailure) {
        var ids: Set<Int> = []
        for study in studies where !ids.insert(study.id).inserted {
            throw StandInFailure("study \(study.id) is in two files; remove one of them")
        }
    }
}
