// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Carries one item to its destination, step by step, until it is there or its turn is over.
///
/// Not `Sendable`: the uploader's, on whose thread it blocks. What comes of an item the
/// uploader writes.
final class Courier {
    private let client: HTTPClient
    private let database: StudyDatabase
    private let surroundings: Uploader.Surroundings
    /// Retries lie no further ahead.
    private let longestWait: Duration
    private let stopFlag: StopFlag
    private var paces: [String: ChunkPace] = [:]
    /// Destinations before which a log-in page stands.
    private var portals: Set<String> = []

    /// Raising `stopFlag` ends a delivery between two steps; the client knows it, too.
    init(
        _ database: StudyDatabase, by client: HTTPClient, surroundings: Uploader.Surroundings, longestWait: Duration,
        stopFlag: StopFlag
    ) {
        self.database = database
        self.client = client
        self.surroundings = surroundings
        self.longestWait = longestWait
        self.stopFlag = stopFlag
    }

    /// Steps until the server's last word, until it makes no more headway, or until something waits
    /// that is worth more.
    func deliver(
        _ item: OutboxItem, to destination: any Destination, _ queue: DeliveryQueue, leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async -> DeliveryEnding {
        // It was being sent when the agent ended.
        if item.uncertain > 0, !destination.resendsUncertain {
            return .verdict(.uncertain(reason: "it was being sent when the device was switched off"))
        }
        client.standing = []
        do {
            let content = try await database.content(of: item)
            if isLab(content, destination) { client.standing = try await standing(of: item) }
            var job = DeliveryJob(
                item: item, content: content, directory: surroundings.recordings,
                location: item.location, offset: nil, compressible: surroundings.compressible)
            var headway = UploadProgress()
            while !stopFlag.isRaised {
                let step = try paced(&job, destination)
                if let ending = ending(step, of: job, destination) { return ending }
                guard headway.allows(step) else { return .verdict(.retry(reason: "the server redirects in circles")) }
                try await apply(step, into: &job)
                if case .progressed = step, try await isOvertaken(item, in: queue, leastTriedFirst) {
                    return DeliveryEnding(result: .paused)
                }
            }
            return .verdict(.retry(reason: "cancelled because studyd is stopping"))
        } catch let error as StoreError {
            return .verdict(.refused(reason: "\(error)"))
        } catch let error as TransportError {
            report(portal: error.kind == .portal ? error.message : nil, of: item, destination)
            return .verdict(error.kind == .file ? .refused(reason: "\(error)") : .retry(reason: "\(error)"))
        } catch {
            return .verdict(.retry(reason: "\(error)"))
        }
    }

    /// Whether it goes to the lab's receiver, which may be the study's server too.
    private func isLab(_ content: ItemContent, _ destination: any Destination) -> Bool {
        guard let lab = surroundings.lab.flatMap(WebOrigin.init) else { return false }
        if case .request(let request) = content, destination.hasManyServers { return WebOrigin(request.url) == lab }
        return destination.address.flatMap(WebOrigin.init) == lab
    }

    /// What the lab's receiver is told with every request: where the log stands, and how
    /// the prompts went.
    private func standing(
        of item: OutboxItem, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [WireRequest.Header] {
        guard let witness = try await database.witness(of: item.item.id) else { return [] }
        let stamp = surroundings.stamp(item.enrolment)
        let told = try await database.compliance(of: item.enrolment, at: stamp.wall, offset: stamp.zoneOffset)
        return [.init(name: LogWitness.field, value: witness.text)]
            + (told.map { [.init(name: ComplianceHeader.field, value: $0.text)] } ?? [])
    }

    /// One step, with as many bytes as the network carries in some seconds.
    private func paced(_ job: inout DeliveryJob, _ destination: any Destination) throws -> DeliveryStep {
        var pace = paces[destination.name, default: ChunkPace()]
        defer { paces[destination.name] = pace }
        job.chunk = pace.chunk
        job.now = surroundings.clock.now
        let began = surroundings.clock.monotonic
        do {
            let step = try destination.step(job, by: client)
            if case .progressed(let now?) = step, let before = job.offset, now > before {
                pace.took(now - before, in: surroundings.clock.monotonic - began)
            }
            return step
        } catch {
            pace.failed()
            throw error
        }
    }

    /// Nil where the next step follows.
    private func ending(_ step: DeliveryStep, of job: DeliveryJob, _ destination: any Destination) -> DeliveryEnding? {
        switch step {
        case .located, .progressed:
            report(portal: nil, of: job.item, destination)
            return nil
        case .finished(let verdict):
            if case .retry = verdict {} else { report(portal: nil, of: job.item, destination) }
            return .verdict(verdict)
        case .foreign(let reason, let isPortal):
            if isPortal { report(portal: reason, of: job.item, destination) }
            return .verdict(.retry(reason: reason))
        case .later(let reason, let wait):
            report(portal: nil, of: job.item, destination)
            return DeliveryEnding(result: .verdict(.retry(reason: reason)), plea: wait)
        }
    }

    /// Tells of a log-in page when it comes and when it is gone.
    private func report(portal reason: String?, of item: OutboxItem, _ destination: any Destination) {
        let name = destination.name
        if reason == nil ? portals.remove(name) == nil : !portals.insert(name).inserted { return }
        surroundings.portal(
            name,
            reason.map {
                "a login page blocks the server of '\(name)' (\(DeliveryTurns.bounded($0))); nothing is delivered until the device is "
                    + "logged in to its network or uses another one"
            })
    }

    /// Whether something of a higher class waits in the same queue.
    private func isOvertaken(
        _ item: OutboxItem, in queue: DeliveryQueue, _ leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        let next = try await database.nextItem(
            for: queue.destination, of: queue.enrolment, at: surroundings.clock.now, leastTriedFirst: leastTriedFirst,
            longestWait: longestWait)
        // Only by what would be sent next: else this item would be begun again at once, and pause
        // again, without end.
        return next.map {
            $0.item.itemClass < item.item.itemClass && (!leastTriedFirst || $0.attempts <= item.attempts)
        } ?? false
    }

    private func apply(
        _ step: DeliveryStep, into job: inout DeliveryJob, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        switch step {
        case .located(let location):
            job.location = location
            job.offset = nil
            try await database.locateUpload(
                job.item.item.id, url: location ?? "", at: surroundings.stamp(job.item.enrolment))
        case .progressed(let offset): job.offset = offset
        case .finished, .foreign, .later: break
        }
    }
}
