// SPDX-License-Identifier: Apache-2.0
import Logging
import PlatformKit
import Store
import Times
import Upload

/// Makes uploaders to the studies' servers and the recordings' server: of every platform, so that what is left of a study that was
/// left goes on being sent whatever study comes after it.
public struct UploaderMaker: Sendable {
    private let database: StudyDatabase
    private let recordingsURL: String?
    private let recordings: String
    private let stamps: StampMaker
    private let platforms: PlatformCatalog
    private let log: Logger

    /// Uploaders of that store.
    public init(
        _ configuration: AgentConfiguration, database: StudyDatabase, folder: StateFolder, stamps: StampMaker,
        log: Logger
    ) {
        self.database = database
        self.stamps = stamps
        self.log = log
        recordingsURL = configuration.recordingsURL
        recordings = folder.recordings
        platforms = configuration.platforms
    }

    /// Answers have a thread and a connection of their own, so that they need not wait for a recording.
    func make(portal: @escaping @Sendable (_ destination: String, _ words: String?) -> Void = { _, _ in }) throws
        -> Uploaders
    {
        let files = fileDestinations
        return Uploaders(
            try [uploader(to: studyDestinations, thread: "studyd-upload", portal)]
                + (files.isEmpty ? [] : [uploader(to: files, thread: "studyd-files", portal)]))
    }

    private func uploader(
        to destinations: [any Destination], thread: String,
        _ portal: @escaping @Sendable (_ destination: String, _ words: String?) -> Void
    ) throws -> Uploader {
        try Uploader(
            database, to: destinations,
            surroundings: .init(
                clock: stamps.clock, recordings: recordings, stamp: { [stamps] in stamps.stamp($0) },
                fault: { [log] in log.error("upload", metadata: ["fault": "\($0)"]) },
                portal: { [log] destination, words in
                    if let words { log.warning("upload", metadata: ["portal": "\(words)"]) }
                    portal(destination, words)
                }),
            seed: UInt64(truncatingIfNeeded: stamps.clock.now.nanoseconds), userAgent: AgentVersion.userAgent,
            thread: thread)
    }

    /// Sends with an uploader of its own, while no agent does, until `isDone` or for as long as `limit`.
    public func deliver(within limit: Duration, until isDone: () async throws -> Bool) async throws {
        let uploader = try make()
        // What failed before need not wait for its own retry.
        uploader.networkChanged()
        let running = Task { await uploader.run() }
        defer { uploader.stop() }
        try await stamps.clock.wait(atMost: limit, until: isDone)
        uploader.stop()
        await running.value
    }

    private var studyDestinations: [any Destination] {
        platforms.all.compactMap {
            DestinationCatalog.kinds["study"]?(
                DestinationSettings(
                    name: $0.name.rawValue, url: "", minimumInterval: $0.wire.minimumInterval, wire: $0.wire,
                    resendsUncertain: $0.resendsUncertain))
        }
    }

    private var fileDestinations: [any Destination] {
        [recordingsURL].compactMap(\.self).compactMap {
            DestinationCatalog.kinds["tus"]?(DestinationSettings(name: AgentDestinations.recordings, url: $0))
        }
    }
}

extension StudyClock {
    /// Looks again and again, until `isDone` or for as long as `limit`.
    func wait(atMost limit: Duration, until isDone: () async throws -> Bool) async throws {
        let deadline = monotonic + limit
        while try await !isDone(), monotonic < deadline {
            try await sleep(until: min(deadline, monotonic + .milliseconds(200)))
        }
    }
}
