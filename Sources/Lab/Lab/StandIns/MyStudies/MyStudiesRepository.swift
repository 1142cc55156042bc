// SPDX-License-Identifier: Apache-2.0

/// The studies that are served, each as its folder is now.
actor MyStudiesRepository {
    private var folders: [MyStudiesFolder]
    /// Places of studies whose present state the archive has not been told.
    private var untold: Set<Int>
    private let archive: Archive
    private let report: @Sendable (String) -> Void

    /// Reads the folders; throws where one is no study, or two are the same.
    init(_ paths: [String], archive: Archive, report: @escaping @Sendable (String) -> Void) throws {
        folders = try paths.map(MyStudiesFolder.init)
        untold = Set(folders.indices)
        (self.archive, self.report) = (archive, report)
        let ids = folders.map(\.study.id)
        for (place, id) in ids.enumerated() where ids.firstIndex(of: id) != place {
            throw MyStudiesFailure("\(paths[place]): study \(id) is served from another folder too")
        }
        for folder in folders { Self.remark(folder.study, report) }
    }

    func studies() async throws -> [MyStudiesStudy] {
        for place in folders.indices where folders[place].refresh(report) {
            untold.insert(place)
            let study = folders[place].study
            report("study \(study.id) has changed: version \(study.state.version), \(study.state.status.rawValue)")
            Self.remark(study, report)
        }
        let studies = folders.map(\.study)
        for place in untold.sorted() { try await announce(studies[place], place) }
        return studies
    }

    private static func remark(_ study: MyStudiesStudy, _ report: (String) -> Void) {
        for remark in study.remarks { report("study \(study.id): \(remark)") }
    }

    /// The one of that id, whatever its letters' case.
    func study(_ id: String) async throws -> MyStudiesStudy? {
        try await studies().first { $0.id == id.uppercased() }
    }

    /// Each version is kept as it was first seen, so that what has changed since it can be told
    /// after a restart too.
    private func announce(_ study: MyStudiesStudy, _ place: Int) async throws {
        untold.remove(place)
        let version = study.state.version
        guard let first = try await archive.fingerprint(of: study.id, version: version) else {
            return try await archive.remember(study.fingerprint, of: study.id, version: version)
        }
        guard first != study.fingerprint else { return }
        report(
            "study \(study.id): the files have changed, but studyVersion is still \(version): devices are told at every poll "
                + "until studyVersion in study.json is raised")
    }
}
