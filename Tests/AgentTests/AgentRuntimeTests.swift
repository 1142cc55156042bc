// SPDX-License-Identifier: Apache-2.0
import Base
import Exports
import Patience
import Simulation
import SystemKit
import Testing

@testable import Agent
@testable import Device
@testable import Features
@testable import Study

/// The whole agent with its real threads, on a board with one chip.
@Suite(.serialized, .timeLimit(.minutes(20))) struct AgentRuntimeTests {
    /// What a rule looked at is what the tools make of the file that was recorded beside it, whose numbers
    /// are those of scikit-digital-health (`FeaturesTests`).
    @Test func aRuleSeesWhatIsRecorded() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife { study in
                let text = """
                    [feature.effort]
                    from = "accelerometer"
                    is = "enmo"
                    epoch = "1s"
                    [rule.still]
                    task = "\(try #require(study.tasks.first?.key))"
                    when = "effort < 0.1g"
                    probability = 0.5
                    """
                return RulesFile(path: "rules.toml", bytes: Array(text.utf8))
            }
            try await rig.live { runtime in
                try await eventually("a point is decided") { try await !Self.decided(runtime.database).isEmpty }
            }
            let database = try StudyDatabase(.file(rig.folder + "/state/studyd.sqlite"))
            let decision = try #require(try await Self.decided(database).first)
            let reading = try #require(decision.state?["effort"])
            let (value, from) = (try #require(reading.value), try #require(reading.from))
            #expect(decision.available && decision.probability == 0.5 && reading.coverage >= 0.8)
            let number = try #require(reading.recordings?.first)
            #expect(reading.recordings?.count == 1)
            let path = "\(rig.folder)/state/recordings/\(number.padded(6))-accelerometer.cwa"
            let told = try Self.enmo(path, at: from)
            // The file is of 16-bit counts.
            #expect(abs(try #require(told) - value) < 0.001, "\(String(describing: told)) and \(value)")
        }
    }

    private static func decided(_ database: StudyDatabase) async throws -> [DecisionRecord] {
        try await database.events(limit: -1).compactMap {
            if case .decided(let decision) = $0.event { decision } else { nil }
        }
    }

    /// Of that second.
    private static func enmo(_ path: String, at start: Instant) throws -> Double? {
        var written: [UInt8] = []
        let epoch = try #require(Epoch(.seconds(1)))
        _ = try FeatureExport.run(
            [path], epoch: epoch, names: ["enmo"],
            to: { ExportOutput(name: "table") { bytes throws(FileError) in written += bytes } }, progress: { _ in })
        let time = start.rfc3339(offset: 0).prefix(19)
        let line = String(decoding: written, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(time) }
        return line.flatMap { Double($0.split(separator: ",", omittingEmptySubsequences: false)[2]) }
    }

    /// What a start writes before it reads the study does not count as time in the old zone. A run was due there while
    /// the device was off; clocks of the new zone, twelve hours ahead, had passed it before.
    @Test func aJourneyIsMadeAtTheLastRowBeforeTheStart() async throws {
        try await MeasuringRig.with { rig in
            let (old, now) = (try Zone.load("Etc/GMT+4"), SystemClock().now)
            let (enrolled, last) = (now - .seconds(20 * 3600), now - .seconds(12 * 3600))
            let hour = old.local(now - .seconds(6 * 3600)).time.hour.padded(2)
            let study = try ZoneChangeTests.study(
                run: (start: "\(hour):00:00", end: "\(hour):29:59"),
                from: "\(old.local(now - .seconds(10 * 86_400)).date)",
                until: "\(old.local(now + .seconds(10 * 86_400)).date)")
            let runtime = try await rig.agent(zone: "Etc/GMT-8")
            let stamps = EventClock(clock: VirtualClock(now: enrolled), bootID: "earlier", zone: old)
            let enroller = Enroller(
                database: runtime.database, panel: .reference, zone: old, stamps: stamps,
                media: MediaCache(folder: rig.folder + "/media"))
            let record = try await enroller.enrol(
                EnrolmentOptions(loaded: study, participant: "ABC23456", seed: 1, postURL: "http://127.0.0.1:1/x.api"))
            var stamp = stamps.stamp(record.id)
            stamp.wall = last
            try await runtime.database.append([.fault(place: "test", message: "the last row")], at: stamp)
            try await rig.run(runtime) {
                try await eventually("the run ends") {
                    try await !runtime.database.events(kind: "concluded", limit: -1).isEmpty
                }
                let ended = try await runtime.database.events(kind: "concluded", limit: -1).map(\.event)
                guard case .concluded(let occurrence, let outcome)? = ended.first else { return }
                #expect(ended.count == 1 && occurrence.due == last && outcome == .missed(.zoneChanged))
            }
        }
    }

    /// A sensor that falls silent during a study is signalled, once.
    @Test func aChipThatIsPulledOutIsSignalledToTheParticipant() async throws {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            try await rig.live { runtime in
                try await eventually("it measures") { rig.stored(runtime) > 0 }
                try await eventually("what was fetched is counted") { runtime.view.now.cost.watermarks > 0 }
                let sensorFault = Cue.condition(.sensorFault)
                #expect(rig.cues.withLock { !$0.contains(sensorFault) })
                rig.pullChip()
                try await eventually("it is signalled") { rig.cues.withLock { $0.contains(sensorFault) } }
                #expect(!runtime.view.now.sensorFaults.isEmpty)
            }
        }
    }

    /// A sensor of the kernel's that comes after the agent, and has no such rate (its driver offers
    /// 10, 50, 100 and 400 Hz): the buttons and the other sensors go on without it.
    @Test func aLateSensorThatDoesNotFitTakesNothingElseWithIt() async throws {
        try await MeasuringRig.with { rig in
            nonisolated(unsafe) let device = try SimulatedIIODevice(
                .init(name: "ak8963", sensors: [.init(kind: "magn", scale: 0.001) { _ in SIMD3(0, 0, 1) }]))
            device.unplug()
            try await rig.firstLife()
            let runtime = try await rig.agent(field: device.root)
            try await rig.run(runtime) {
                try await eventually("it is awaited") { runtime.view.now.measures.contains { $0.isMissing } }
                try device.plug(number: 0)
                try await eventually("the rest is measured again") {
                    let measures = runtime.view.now.measures
                    return measures.count == 1 && measures.allSatisfy { $0.counts.stored > 0 }
                }
            }
            let faults = try rig.connection().rows("SELECT body FROM event WHERE kind = 'fault'") { try $0.string(0) }
            #expect(faults.contains { $0.contains("no rate 33") }, "\(faults)")
        }
    }

    /// What is in the file of the key; nil = the file is gone. Of an enrolled device it is named with what to do,
    /// and measuring, log and outbox go on.
    @Test(arguments: [nil, "rubbish\n", ""]) func aLostKeyIsNamedWithARemedyAndNothingIsLost(_ content: String?)
        async throws
    {
        try await MeasuringRig.with { rig in
            try await rig.firstLife()
            let place = try StateFolder(rig.folder + "/state")
            let file = DeviceKeyFile(place)
            let lost = try #require(file.read())
            if let content {
                try AtomicFile.write(Array(content.utf8), to: place.deviceKey, mode: 0o600)
            } else {
                file.remove()
            }
            for life in 1...2 {
                try await rig.live { runtime in
                    try await eventually("the study is read") { runtime.view.now.conductor != nil }
                    try await eventually("it measures") { rig.stored(runtime) > 0 }
                    #expect(try await runtime.database.verifyLog() == nil)
                }
                let faults = try rig.connection().rows("SELECT body FROM event WHERE kind = 'fault'") {
                    try $0.string(0)
                }.filter { $0.contains("device key") }
                // A new key is made once; one that cannot be used is named at each start.
                #expect(faults.count == (content == nil ? 1 : life), "\(faults)")
                let remedy = content == nil ? "study-receiver devices approve" : "put the file back, or remove it"
                #expect(faults.allSatisfy { $0.contains(remedy) && !$0.contains(lost.text) }, "\(faults)")
            }
            if content == nil {
                let new = try #require(file.read())
                #expect(new != lost)
            } else {
                #expect(try BoundedFile.text(place.deviceKey) == content, "it may be what a backup is compared with")
            }
            let enrolled = try rig.connection().rows("SELECT DISTINCT enrolment FROM recording") { try $0.string(0) }
            #expect(enrolled.count == 1 && enrolled != [""] && rig.sealed().count == 3)
        }
    }
}
