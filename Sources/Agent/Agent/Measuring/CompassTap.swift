// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Mirrors the samples of an accelerometer and a magnetometer, beside their recorders, for one compass
/// reading. Belongs to the recorder thread (`RecorderLoop`), which calls `drain` until it answers, then `end`.
final class CompassTap {
    /// How long to wait for each chip's first samples: they come in bursts.
    private static let timeout = Duration.seconds(8)
    /// How much is averaged where samples come at once.
    private static let span = Duration.milliseconds(900)

    private let taps: [(source: SourceDescription, recorder: any SampleRecorder, input: RecorderInput)]
    private let began: MonotonicTime
    private var reading = CompassReading()

    /// Nil where one of them is not measured.
    init?(_ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder], at now: MonotonicTime) {
        began = now
        taps = sources.indices.compactMap { index in
            let units = sources[index].source.channels.map(\.unit)
            guard units.contains(.standardGravity) || units.contains(.microtesla), sources[index].input.isOfVectors
            else { return nil }
            let input = sources[index].input.emptyCopy()
            return recorders[index].mirror(into: input) ? (sources[index].source, recorders[index], input) : nil
        }
        let units = Set(taps.flatMap { $0.source.channels.map(\.unit) })
        guard units.isSuperset(of: [.standardGravity, .microtesla]) else {
            end()
            return nil
        }
    }

    /// Takes the samples that came since the last call. Returns nil while more are needed, then degrees
    /// clockwise from magnetic north; the inner optional is nil where no direction was found.
    func drain(at now: MonotonicTime) -> Double?? {
        for tap in taps {
            guard case .vectors(let ring) = tap.input else { continue }
            while let frame = ring.pop() { reading.add(frame, of: tap.source) }
        }
        let isOver = now - began >= Self.timeout
        guard reading.isComplete && now - began >= Self.span || isOver else { return nil }
        return .some(reading.degrees)
    }

    /// Ends the mirrors; the recorders continue.
    func end() { for tap in taps { tap.recorder.endMirror(into: tap.input) } }
}

extension RecorderInput {
    fileprivate var isOfVectors: Bool { if case .vectors = self { true } else { false } }
}
