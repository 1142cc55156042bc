// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc

/// Mirrors what the recorders take, and puts the size of each second into the `SignalTrace` that the demo draws.
/// Lives on the recorder thread; `RecorderLoop` makes it, only where there is a trace, and drains it.
final class SignalTap {
    fileprivate struct Tap {
        let source: SourceDescription
        let input: RecorderInput
        var sum = 0.0
        var count = 0
    }
    private let trace: SignalTrace
    private var taps: [Tap]

    init(_ trace: SignalTrace, _ sources: [RecorderThread.Source], _ recorders: [any SampleRecorder]) {
        self.trace = trace
        taps = sources.indices.compactMap { index in
            let input = sources[index].input.emptyCopy()
            guard Self.hasSize(sources[index].source), recorders[index].mirror(into: input) else { return nil }
            return Tap(source: sources[index].source, input: input)
        }
    }

    /// Neither a receiver's sentences nor presses have a size, and slow sources have no value for each second.
    private static func hasSize(_ source: SourceDescription) -> Bool {
        source.kind != .position && source.kind != .buttons && source.nominalRate >= 1
    }

    /// After the measures were drained.
    func drain() {
        for index in taps.indices {
            let kind = taps[index].source.kind
            switch taps[index].input {
            case .vectors(let ring):
                trace.add(taps[index].seconds(of: ring), taps[index].source.channels[0].unit, of: kind)
            case .sound(let ring): trace.add(taps[index].levels(of: ring), .decibelFullScale, of: kind)
            case .bytes: break
            }
        }
    }
}

extension SignalTap.Tap {
    /// The mean length of the vector in each second that is complete. By the count of samples: a second is as many of
    /// them as the source gives in one.
    fileprivate mutating func seconds(of ring: FrameRing<VectorFrame>) -> [Double] {
        var seconds: [Double] = []
        while let frame = ring.pop() {
            let squares = source.channels.indices.prefix(3).reduce(0.0) { sum, axis in
                let value = source.channels[axis].value(frame.values[axis])
                return sum + value * value
            }
            (sum, count) = (sum + squares.squareRoot(), count + 1)
            if Double(count) >= source.nominalRate { seconds.append(take()) }
        }
        return seconds
    }

    /// The level of each complete second, in dB relative to the largest sample of 16 bits (0); silence is -96.
    fileprivate mutating func levels(of ring: FrameRing<SoundFrame>) -> [Double] {
        var levels: [Double] = []
        while let frame = ring.pop() {
            for index in 0..<Int(frame.count) {
                let sample = Double(frame.samples[index]) / 32_768
                sum += sample * sample
            }
            count += Int(frame.count)
            if Double(count) >= source.nominalRate { levels.append(max(10 * log10(max(take(), 1e-10)), -96)) }
        }
        return levels
    }

    /// The mean of the second that is over; begins the next one.
    private mutating func take() -> Double {
        defer { (sum, count) = (0, 0) }
        return sum / Double(count)
    }
}
