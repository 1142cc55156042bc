// SPDX-License-Identifier: Apache-2.0
import Glibc
import Study

/// A server that the device sends to, which `ServerProbe` asks for an answer.
package struct CheckServer: Sendable {
    /// What it is for: `study`, `recordings`.
    package let name: String
    package let url: String
    /// Its `inspect` is called once the server answers; nil for a study's own server.
    var destination: (any Destination)?

    package static func all(of configuration: AgentConfiguration) async throws -> [CheckServer] {
        let studies = try await studies(in: configuration.state)
        return studies
            + configuration.destinations.map(\.destination).compactMap { destination in
                destination.address.map { CheckServer(name: destination.name, url: $0, destination: destination) }
            }
            + (configuration.report.map { [CheckServer(name: "report", url: $0.url)] } ?? [])
    }

    /// The server of the enrolled study, and those of studies that were left while answers were unsent (three
    /// at most).
    private static func studies(in folder: String) async throws -> [CheckServer] {
        guard let database = try StudyDatabase.existing(in: folder),
            let state = try await database.latestEnrolment()
        else { return [] }
        let own = state.withdrawn == nil ? try await address(of: state.record, in: database) : nil
        let left = try await database.unsentAddresses(besides: own == nil ? nil : state.record.id)
        return (own.map { [CheckServer(name: "study", url: $0)] } ?? [])
            + left.prefix(3).enumerated().map { place, url in
                CheckServer(name: "study you left" + (place == 0 ? "" : " (\(place + 1))"), url: url)
            }
    }

    /// Where the study's answers go; empty where the study names no address.
    private static func address(of record: EnrolmentRecord, in database: StudyDatabase) async throws -> String {
        if let url = record.postURL { return url }
        return try await database.loadedStudy(record)?.study.postURL ?? ""
    }
}

extension StudyProtocol {
    /// The study that is enrolled at that state folder; nil = none.
    package static func enrolled(in folder: String) async throws -> StudyProtocol? {
        guard let database = try StudyDatabase.existing(in: folder),
            let state = try await database.latestEnrolment(), state.withdrawn == nil
        else { return nil }
        return try await database.loadedStudy(state.record)?.study
    }
}

extension StudyDatabase {
    /// The store of a state folder; nil where there is none, which is not created.
    fileprivate static func existing(in folder: String) throws -> StudyDatabase? {
        let path = folder + "/studyd.sqlite"
        guard access(path, F_OK) == 0 else { return nil }
        return try StudyDatabase(.file(path), recordings: folder + "/recordings")
    }
}
