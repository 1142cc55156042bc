// SPDX-License-Identifier: Apache-2.0
import Glibc
import Store
import StudyEngine

extension CheckServer {
    /// The servers of a configuration: that of the enrolled study, and that of the recordings.
    public static func all(of configuration: AgentConfiguration) async throws -> [CheckServer] {
        let study = try await study(in: configuration.state).map { CheckServer(name: "study", url: $0) }
        let recordings = configuration.recordingsURL.map { CheckServer(name: "recordings", url: $0) }
        return [study, recordings].compactMap(\.self)
    }

    /// Where the enrolled study's answers go; nil where none is enrolled. No store is made.
    private static func study(in folder: String) async throws -> String? {
        let path = folder + "/studyd.sqlite"
        guard access(path, F_OK) == 0 else { return nil }
        let database = try StudyDatabase(.file(path), recordings: folder + "/recordings")
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil else { return nil }
        if let url = state.record.postURL { return url }
        return try await database.loadedStudy(state.record)?.study.postURL
    }
}
