// SPDX-License-Identifier: Apache-2.0

/// The study's files that a device has had, and in which version each asks a task. `CodebookReader` makes it
/// for `DeviceFolder`, which names the versions of each submission by it.
struct StudyEditions {
    typealias File = (digest: String, bytes: [UInt8])

    let codebook: Codebook
    private let byDigest: [String: Edition]
    /// Of the files that were given, by task, where these name no version and do not differ from each other.
    private let given: [String: String]

    private struct Edition {
        let studyVersion: String?
        /// By task, as answers name it; where files differ, with the file's number.
        let versions: [String: String]
    }

    /// `kept` are the device's own files, nil for one that is not the study's.
    init(_ kept: [(digest: String, file: Codebook?)], given: [Codebook]) {
        let known = kept.compactMap { kept in kept.file.map { (kept.digest, $0) } }
        let files = Codebook.numbered(given + known.map { $0.1 })
        let codebook = Codebook(joining: files)
        self.codebook = codebook
        let own = files.dropFirst(given.count).map {
            Edition(studyVersion: $0.studyVersion, versions: codebook.versions(in: $0))
        }
        byDigest = Dictionary(zip(known.map { $0.0 }, own)) { $1 }
        let named = files.prefix(given.count).reduce(into: [String: String]()) { named, file in
            named.merge(codebook.versions(in: file)) { $0 == $1 ? $0 : "" }
        }
        self.given = named.filter { Codebook.version(ofFile: $0.value)?.isEmpty == true }
    }

    /// Sets the versions of a run for which the device had the file of that digest. Where that file is unknown or not
    /// here, one without versions that was given counts.
    func setVersions(of run: inout StudySubmission, file digest: String?) {
        let edition = digest.flatMap { byDigest[$0] }
        run.studyVersion = edition?.studyVersion
        run.taskVersion = edition.map { $0.versions[run.task] } ?? given[run.task]
    }
}
