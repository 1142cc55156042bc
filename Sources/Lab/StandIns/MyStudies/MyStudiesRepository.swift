// SPDX-License-Identifier: Apache-2.0
import Lab

/// The studies that are served, for the servers of this folder; a folder that has changed is read again at the
/// next request.
actor MyStudiesRepository {
    private var folders: [ServedFolder<JSONValue, MyStudiesStudy>]
    private let report: @Sendable (String) -> Void
    /// Keeps a copy of the folder at that path in the receiver's data (`StandInParts.keepStudy`).
    private let keep: @Sendable (String) -> Void
    /// Consent documents by study and version (`S1 1.0`), as they were when the version was first seen: with them the
    /// metadata server says whether an update has changed the consent.
    private(set) var consents: [String: JSONValue] = [:]

    /// Reads the folders; throws where one holds no study, or two hold the same study. `keep` gets the path of each
    /// folder that has changed.
    init(
        _ paths: [String], report: @escaping @Sendable (String) -> Void,
        keep: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        (self.report, self.keep) = (report, keep)
        folders = try paths.map { path in
            try ServedFolder(path, where: MyStudiesStudy.isRead, parse: MyStudiesStudy.parse) {
                try MyStudiesStudy($0, at: path)
            }
        }
        let ids = folders.map(\.whole.id)
        for (place, id) in ids.enumerated() where ids.firstIndex(of: id) != place {
            throw StandInFailure("\(paths[place]): study \(id) is served from another folder too")
        }
        for folder in folders { Self.reportWarnings(of: folder.whole, report) }
    }

    /// Reads changed folders again and reports the changes; notes consents of new versions.
    func studies() -> [MyStudiesStudy] {
        for place in folders.indices where folders[place].refresh(report) {
            keep(folders[place].path)
            let study = folders[place].whole
            report("study \(study.id) has changed: version \(study.state.version), \(study.state.status.rawValue)")
            Self.reportWarnings(of: study, report)
        }
        let studies = folders.map(\.whole)
        for study in studies where consents["\(study.id) \(study.state.version)"] == nil {
            consents["\(study.id) \(study.state.version)"] = study.consent
        }
        return studies
    }

    private static func reportWarnings(of study: MyStudiesStudy, _ report: (String) -> Void) {
        for warning in study.warnings { report("study \(study.id): \(warning)") }
    }

    /// The study of that id, whatever its case; ids are upper case.
    func study(_ id: String) -> MyStudiesStudy? { studies().first { $0.id == id.uppercased() } }
}
