// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The servers that `UpdateService` asks for news of studies, by platform, and what they have to know of a study.
struct StudyServers: Sendable {
    private let servers: [PlatformName: any StudyServer]
    private let database: StudyDatabase
    private let zone: Zone

    init(_ platforms: PlatformCatalog, _ database: StudyDatabase, zone: Zone) {
        (self.database, self.zone) = (database, zone)
        servers = platforms.all.reduce(into: [:]) { servers, platform in
            guard let server = platform.server(over: StudyConnection()), server.newsInterval != nil else { return }
            servers[platform.name] = server
        }
    }

    var isEmpty: Bool { servers.isEmpty }
    var shortestInterval: Duration? { servers.values.compactMap(\.newsInterval).min() }
    var wantProgress: Bool { servers.values.contains { $0.reporter() != nil } }

    subscript(record: EnrolmentRecord) -> (any StudyServer)? { servers[PlatformName(rawValue: record.platform)] }

    /// The latest enrolment, which may be over, and its server; nil without either.
    func latestEnrolment() async throws -> (EnrolmentState, any StudyServer)? {
        guard let state = try await database.latestEnrolment(), let server = self[state.record] else { return nil }
        return (state, server)
    }

    /// Nil after a withdrawal, where no server is asked for news of this study, and without the study's file.
    func known(_ state: EnrolmentState, _ server: any StudyServer, refused: String? = nil) async throws -> KnownStudy? {
        guard state.withdrawn == nil, server.reasonForNoNews(from: state.record.source) == nil else { return nil }
        return try await database.known(state.record, refused: refused, zone: zone)
    }
}

extension StudyDatabase {
    /// What is known of a study of a present or past enrolment; nil where its file is gone.
    func known(_ record: EnrolmentRecord, refused: String? = nil, zone: Zone) async throws -> KnownStudy? {
        guard let loaded = try await loadedStudy(record) else { return nil }
        let seen = try serverFacts(ServerFact.message, of: record.id).compactMap { StudyMessage.id(in: $0.text) }
        return KnownStudy(
            source: record.source, participant: record.participant, study: loaded.study, bytes: loaded.bytes,
            version: try serverFact(ServerFact.version, of: record.id), refused: refused,
            status: try serverFact(ServerFact.status, of: record.id), messages: Set(seen),
            variables: try facts(of: record.id).variables, zone: zone,
            consent: try serverFact(ServerFact.consent, of: record.id),
            hasConsented: try consent(of: record.id).recorded != nil)
    }
}
