// SPDX-License-Identifier: Apache-2.0
import Lab

/// The studies of ESMira that are served: every `.json` of the folders, or single files. `ESMiraAPI` asks it at
/// each request.
actor ESMiraStudyFolder {
    private var folders: [ServedFolder<ESMiraServedStudy, [ESMiraServedStudy]>]
    private let store: ESMiraStore
    private let report: @Sendable (String) -> Void
    private let keep: @Sendable (String) -> Void
    /// Studies whose tables were prepared, with the columns that these have.
    private var prepared: [Int: String] = [:]
    /// Studies that came a second time, in a file that is left out.
    private var duplicates: Set<Int> = []

    /// `keep` gets the path of what has changed. Throws where a file is no study, or where two are the same.
    init(
        _ paths: [String], store: ESMiraStore, report: @escaping @Sendable (String) -> Void,
        keep: @escaping @Sendable (String) -> Void
    ) throws {
        (self.store, self.report, self.keep) = (store, report, keep)
        folders = try paths.map { path in
            let folder = try ServedFolder(
                path, where: { !$0.hasPrefix(".") && $0.hasSuffix(".json") },
                parse: { try ESMiraServedStudy(try StandInFailure.json($1, $0), path: $0) },
                join: { $0.sorted { $0.key < $1.key }.map(\.value) })
            guard !folder.whole.isEmpty else {
                throw StandInFailure("\(path) contains no study of ESMira; put the editor's study there")
            }
            return folder
        }
        if let first = Self.duplicates(of: folders.flatMap(\.whole)).min() { throw Self.duplicateFailure(first) }
    }

    /// All of them, in the order of their files' names. Reads changed files again, and prepares the tables of
    /// studies that are new or have other columns.
    func all() async throws -> [ESMiraServedStudy] {
        for place in folders.indices where folders[place].refresh(report) {
            keep(folders[place].path)
            for study in folders[place].whole { report("study \(study.id) is read again: version \(study.version)") }
        }
        let whole = folders.flatMap(\.whole)
        reportDuplicates(of: whole)
        var seen: Set<Int> = []
        let studies = whole.filter { seen.insert($0.id).inserted }
        for study in studies {
            let columns = study.questionnaires.map { "\($0.id)\($0.columns.names)" }.joined()
            guard prepared[study.id] != columns else { continue }
            try await store.transaction { try $0.prepare(study) }
            prepared[study.id] = columns
        }
        return studies
    }

    /// Reports each study that is in two files once, until it no longer is.
    private func reportDuplicates(of studies: [ESMiraServedStudy]) {
        let found = Self.duplicates(of: studies)
        for id in found.subtracting(duplicates).sorted() {
            report("\(Self.duplicateFailure(id)); the later file is left out")
        }
        duplicates = found
    }

    private static func duplicates(of studies: [ESMiraServedStudy]) -> Set<Int> {
        var seen: Set<Int> = []
        return Set(studies.map(\.id).filter { !seen.insert($0).inserted })
    }

    private static func duplicateFailure(_ id: Int) -> StandInFailure {
        StandInFailure("study \(id) is in two files; remove one of them")
    }
}
