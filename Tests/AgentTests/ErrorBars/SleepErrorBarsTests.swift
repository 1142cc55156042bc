// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Base
@testable import Device

/// A laptop-like machine that sleeps now and then while its NTP client polls: every stamped
/// sentence is compared with the truth.
///
/// After each sleep the kernel goes on saying that it is synchronised, and its count of the sleep
/// is off by up to the resolution of the clock that counted (Linux kernel/time/timekeeping.c: whole
/// seconds of a persistent clock, `timekeeping_suspend` keeps the difference below two).
@Suite struct SleepErrorBarsTests {
    private static let sleeps: [(at: Int, seconds: Int, off: Double)] = [
        (3000, 30, -0.9), (5000, 30, 1.8), (8000, 600, 0.7), (12_000, 7200, -1.4), (24_000, 40_000, 1.9),
    ]

    /// The clocks, and the true seconds at which the machine was awake.
    private static let (machine, awake): (SteeredMachine, [Int]) = {
        var dice = SplitMix64(seed: 9)
        var machine = SteeredMachine(wrong: .seconds(-7200)) { _ in 21e-6 }
        var (awake, sleeps, nextPoll) = ([Int](), Self.sleeps[...], 300)
        while machine.second < 70_000 {
            if let sleep = sleeps.first, machine.second >= sleep.at {
                sleeps.removeFirst()
                #expect(machine.isSynchronised, "the kernel is sure of itself")
                machine.suspend(sleep.seconds, countedOff: sleep.off)
                // The network needs its time to come back.
                nextPoll = machine.second + 900
            }
            if machine.second >= nextPoll {
                machine.contact(error: Double.random(in: -0.03...0.03, using: &dice), poll: 512)
                nextPoll = machine.second + 512
            }
            machine.observe()
            awake.append(machine.second)
            machine.tick()
        }
        return (machine, awake)
    }()

    @Test func everySentenceIsWithinItsBar() throws {
        let machine = Self.machine
        var source = SourceDescription(
            kind: .position, device: "receiver", location: "test",
            channels: [Channel(name: "nmea", unit: .text, scale: 1)], nominalRate: 1, fullScale: 0)
        source.stampError = 0.02
        let ring = FrameRing(capacity: 64, repeating: ByteFrame(time: .zero))
        let bench = RecordingBench()
        let recorder = try MeasureConfiguration(identifier: "m", format: .nmea, rotation: .seconds(3600)).recorder(
            of: .bytes(ring), source: source,
            origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
            folder: bench.folder())
        var (sealed, now) = ([SealedRecording](), MonotonicTime.zero)
        for second in Self.awake.dropLast(2) where second % 5 == 0 {
            now = machine.monotonic(at: Double(second) + 0.5)
            var frame = ByteFrame(time: now)
            let bytes = NMEAFraming.bytes("GPTXT,01,01,02,\(second)")
            frame.count = UInt16(bytes.count)
            for (index, byte) in bytes.enumerated() { frame.bytes[index] = byte }
            ring.push(frame)
            sealed += recorder.drain(at: now, anchors: machine.anchors.filter { $0.monotonic <= now })
        }
        sealed += recorder.stop(at: now, anchors: machine.anchors)
        var (all, outside, worst) = (0, 0, 0.0)
        for recording in sealed {
            let bar = (recording.description.clockError ?? 0) + (recording.description.timeError ?? 0)
            let lines = try RecordedFile(recording.path).lines()
            var said: Instant?
            while let line = try lines.next() {
                let fields = String(decoding: line, as: UTF8.self).split(separator: "*")[0].split(separator: ",")
                if fields[0] == "$PSTDY" { said = fields.last.flatMap { Instant.parsed(String($0)) } }
                guard fields[0] == "$GPTXT", let said, let second = Int(fields[4]) else { continue }
                let off = abs((said - (machine.start + .milliseconds(second * 1000 + 500))).seconds)
                all += 1
                if off > bar { (outside, worst) = (outside + 1, max(worst, off - bar)) }
            }
        }
        #expect(all > 4000 && outside * 100 <= all, "\(outside) of \(all) outside, at worst by \(worst) s")
    }
}
