// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit

@testable import Agent

/// A clock that runs on real time, some times faster, so that retries come soon.
struct HastyClock: StudyClock {
    private let start = ContinuousClock.now
    private let haste: Int
    private let skew: Duration

    init(haste: Int = 1, skew: Duration = .zero) {
        self.haste = haste
        self.skew = skew
    }

    var monotonic: MonotonicTime { MonotonicTime(nanoseconds: 0) + (ContinuousClock.now - start) * haste }
    var now: Instant { Instant(seconds: 1_800_000_000) + skew + (monotonic - .zero) }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws {
        try await ContinuousClock().sleep(until: start + (deadline - .zero) / haste)
    }
}

/// schema's rule: 200 is the receipt, unless the body is literally `false`.
struct SchemaLikeWire: StudyWire {
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        switch status {
        case 200: body == Array("false".utf8) ? .refused(reason: "false") : .delivered(receipt: "200")
        case 422: .refused(reason: "422")
        default: .retry(reason: "\(status)")
        }
    }
}

enum UploadFixture {
    static let compressible: Set<String> = ["application/x-cwa"]

    static func context(
        _ clock: HastyClock, recordings: String = "/nowhere", lab: String? = nil, every: Duration = .zero
    ) -> UploadContext {
        UploadContext(
            clock: clock, recordings: recordings, compressible: compressible, lab: lab, every: every,
            stamp: { enrolment in
                EventStamp(
                    wall: clock.now, monotonic: clock.monotonic, bootID: "b", zoneOffset: 0, enrolment: enrolment)
            }, report: { if case .fault(let words) = $0 { print("fault: \(words)") } })
    }

    /// Long enough that only a server that never answers uses it up.
    static func limits(total: Duration = .seconds(60)) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.total = total
        return limits
    }

    static func study(name: String = "study", total: Duration = .seconds(60)) -> HTTPDestination {
        HTTPDestination(name: name, wire: SchemaLikeWire(), limits: limits(total: total))
    }

    static func draft(_ text: String, to url: String, _ itemClass: ItemClass = .answers, destination: String = "study")
        -> OutboxDraft
    {
        let type = WireRequest.Header(name: "Content-Type", value: "text/plain")
        return OutboxDraft(
            origin: text, itemClass: itemClass, destination: destination,
            content: .request(WireRequest(method: "POST", url: url, headers: [type], body: Array(text.utf8))))
    }

    /// A file of `bytes` bytes that do not repeat, and its draft.
    static func file(_ name: String, bytes: Int, in folder: String) throws -> OutboxDraft {
        var generator = SplitMix64(seed: UInt64(bytes))
        let content = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try Data(content).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        return OutboxDraft(
            origin: "recording \(name)", itemClass: .motion, destination: "files",
            content: .file(
                FileReference(
                    path: name, sha256: try Digest(of: content).description, bytes: Int64(bytes),
                    contentType: "application/octet-stream", recording: name,
                    metadata: ["study": "s ż", "participant": "P", "bad key": "x"])))
    }

    /// A file that takes no room on the disk, of bytes that go over the wire as they are.
    static func hole(_ name: String, bytes: Int, in folder: String) throws -> OutboxDraft {
        let path = "\(folder)/\(name)"
        try Data().write(to: URL(fileURLWithPath: path))
        guard truncate(path, off_t(bytes)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let digest = try Digest(of: [UInt8](repeating: 0, count: bytes)).description
        return OutboxDraft(
            origin: "recording \(name)", itemClass: .motion, destination: "files",
            content: .file(
                FileReference(
                    path: name, sha256: digest, bytes: Int64(bytes), contentType: "application/octet-stream",
                    recording: name)))
    }

    static func folder(in parent: String = NSTemporaryDirectory()) throws -> String {
        let folder = parent + "studyd-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    static func append(
        _ drafts: [OutboxDraft], to database: StudyDatabase, _ events: [StudyEvent] = [], of enrolment: String = "e1"
    )
        async throws
    {
        let stamp = EventStamp(
            wall: Instant(seconds: 1_800_000_000), monotonic: .zero, bootID: "b", zoneOffset: 0,
            enrolment: enrolment)
        try await database.append(events, sending: drafts, at: stamp)
    }
}

extension StudyDatabase {
    /// Waits until the counts are as wanted; the suite's time limit is the only bound.
    func reaches(_ wanted: (StoreCounts) -> Bool) async throws {
        while !wanted(try counts()) { try await Swift.Task.sleep(for: .milliseconds(20)) }
    }

    func nextItem(
        for destination: String, of enrolment: String? = nil, at now: Instant, resettingBackoffBefore: Instant? = nil,
        leastTriedFirst: Bool = false, longestWait: Duration
    ) throws -> OutboxItem? {
        try nextItem(
            UploadChoice(
                destination: destination, enrolment: enrolment, now: now,
                resettingBackoffBefore: resettingBackoffBefore, leastTriedFirst: leastTriedFirst,
                longestWait: longestWait))
    }

    func startUpload(_ id: String, at stamp: EventStamp) throws -> Bool {
        try attempts.startUpload(id, at: stamp)
    }

    /// Waits until an attempt has failed.
    func tries() async throws {
        while try items().allSatisfy({ $0.retryAt == nil }) { try await Swift.Task.sleep(for: .milliseconds(20)) }
    }
}
