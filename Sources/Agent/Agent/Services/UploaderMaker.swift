// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Logging
import Study

/// Makes the `Uploader` to the studies' servers and the configured destinations, for the agent and for commands
/// that deliver without one. It serves every platform: what is unsent of an earlier study is still sent while
/// another one runs.
package struct UploaderMaker: Sendable {
    private let database: StudyDatabase
    private let destinations: [any Destination]
    private let recordings: String
    private let every: Duration
    private let stamps: EventClock
    private let platforms: PlatformCatalog
    private let log: Logger
    /// The address of the lab's receiver; nil = none is configured.
    private let lab: String?
    private let key: DeviceKeyFile
    /// Opens what the device encrypted for itself; nil without encryption.
    private let opener: DeviceOpener?

    package init(
        _ configuration: AgentConfiguration, database: StudyDatabase, folder: StateFolder, stamps: EventClock,
        log: Logger
    ) {
        // `try?` hides nothing: an agent that cannot read its key does not start.
        opener = configuration.encryption.flatMap { try? DeviceOpener($0, in: folder) }
        (self.database, self.stamps, self.log) = (database, stamps, log)
        destinations = configuration.destinations.map(\.destination)
        recordings = folder.recordings
        lab = configuration.labAddress
        key = DeviceKeyFile(folder)
        every = configuration.uploadEvery
        platforms = configuration.platforms
    }

    /// Faults, log-in pages and needs go to the journal, too.
    func make(report: @escaping @Sendable (UploadNews) -> Void = { _ in }) -> Uploader {
        Uploader(
            database, to: studyDestinations + destinations,
            context: .init(
                clock: stamps.clock, recordings: recordings, compressible: RecordingFormats.standard.compressible,
                lab: lab, deviceKey: { [key] in key.read() }, every: every,
                stamp: { [stamps] in stamps.stamp($0) },
                report: { [log] news in
                    log.record(news)
                    report(news)
                }),
            seed: UInt64(truncatingIfNeeded: stamps.clock.now.nanoseconds), userAgent: AgentVersion.userAgent)
    }

    /// For commands, while no agent runs: sends with a temporary uploader until `isDone`, or for `limit` at
    /// most.
    package func deliver(within limit: Duration, until isDone: () async throws -> Bool) async throws {
        let uploader = make()
        // What failed before need not wait for its own retry.
        uploader.networkChanged()
        let running = Task(executorPreference: TaskThread.current) { await uploader.run() }
        defer { uploader.stop() }
        try await stamps.clock.wait(atMost: limit, until: isDone)
        uploader.stop()
        await running.value
    }

    private var studyDestinations: [any Destination] {
        platforms.all.map {
            HTTPDestination(
                name: $0.name.rawValue, wire: $0.wire, minimumInterval: $0.wire.minimumInterval,
                resendsUncertain: $0.resendsUncertain, opener: opener, secrets: { try SecretFile.read($0) })
        }
    }
}

extension StudyClock {
    /// Asks `isDone` every 200 ms until it is true, or for `limit` at most.
    func wait(atMost limit: Duration, until isDone: () async throws -> Bool) async throws {
        let deadline = monotonic + limit
        while try await !isDone(), monotonic < deadline {
            try await sleep(until: min(deadline, monotonic + .milliseconds(200)))
        }
    }
}

extension Logger {
    fileprivate func record(_ news: UploadNews) {
        switch news {
        case .fault(let words): error("upload", metadata: ["fault": "\(words)"])
        case .portal(_, let words?): warning("upload", metadata: ["portal": "\(words)"])
        case .need(_, let words?): warning("upload", metadata: ["needs": "\(words)"])
        case .portal, .need, .refused, .delivered: break
        }
    }
}
