// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// Records what a simulated body feels during the tasks of a `StudySimulation`, with the agent's own
/// recorders and into real files. The simulation calls `start`, which notes when recording began, then `stop`, which
/// makes the whole file at once.
///
/// 100 Hz of acceleration and rotation, 50 Hz of magnetic field, mono sound of 16 kHz, a fix each
/// second. Blocks on the disk.
final class SimulatedRecorders {
    private let folder: RecordingFolder
    private let body: @Sendable (TaskRecording) -> SimulatedBody
    private let origin: RecordingOrigin
    private var running: [(recording: TaskRecording, began: MonotonicTime)] = []

    init(_ path: String, body: @escaping @Sendable (TaskRecording) -> SimulatedBody, study: String, zone: Zone) throws {
        folder = try RecordingFolder(path)
        self.body = body
        origin = RecordingOrigin(study: study, participant: nil, deviceID: 1, bootID: "simulated", zone: zone)
    }

    func start(_ recordings: [TaskRecording], at now: MonotonicTime) { running += recordings.map { ($0, now) } }

    /// Ends these recordings and writes their files; an id that was not started is ignored.
    func stop(_ ids: [String], at now: Moment) -> [TaskRecorded] {
        let ended = running.filter { ids.contains($0.recording.id) }
        running.removeAll { ids.contains($0.recording.id) }
        return ended.map { recording, began in
            var files: [SealedRecording] = []
            var failures: [RunRecording.Failure] = []
            let kinds = recording.recorder.kinds
            for kind in kinds {
                guard let source = Self.source(kind, kinds) else {
                    if kind == .steps { failures.append(.notMeasured(kind)) }
                    continue
                }
                do { files += try file(source, recording, from: began, to: now) } catch {
                    failures.append(.init(kind: kind, isMeasured: true, message: "\(error)"))
                }
            }
            return TaskRecorded(recording: recording, files: files, failures: failures)
        }
    }

    /// The simulated source of that kind; nil for steps, which nothing measures, and for rotation that the
    /// accelerometer's file holds too.
    private static func source(_ kind: TaskRecorder.Kind, _ kinds: [TaskRecorder.Kind]) -> SourceDescription? {
        func described(
            _ kind: MeasureKind, _ channels: [Channel], rate: Double, fullScale: Double, by device: String
        ) -> SourceDescription {
            SourceDescription(
                kind: kind, device: "simulated " + device, location: "simulation", channels: channels,
                nominalRate: rate, fullScale: fullScale)
        }
        // Full scale over 16 bits, as a chip counts.
        let acceleration = Channel.acceleration(scale: 8.0 / 32_768)
        let turns = Channel.rotation(scale: 1000.0 / 32_768)
        let both = acceleration + (kinds.contains(.gyroscope) ? turns : [])
        switch kind {
        case .accelerometer: return described(.accelerometer, both, rate: 100, fullScale: 8, by: "body")
        case .gyroscope:
            guard !kinds.contains(.accelerometer) else { return nil }
            return described(.gyroscope, turns, rate: 100, fullScale: 1000, by: "body")
        case .magnetometer:
            return described(
                .magnetometer, Channel.magneticField(scale: 0.1), rate: 50, fullScale: 3000, by: "body")
        case .sound:
            let sound = [Channel(name: "sound", unit: .pcm, scale: 1)]
            return described(.sound, sound, rate: 16_000, fullScale: 32_768, by: "microphone")
        case .position:
            let lines = [Channel(name: "nmea", unit: .text, scale: 1)]
            return described(.position, lines, rate: 1, fullScale: 0, by: "receiver")
        case .steps: return nil
        }
    }

    private func file(
        _ source: SourceDescription, _ recording: TaskRecording, from began: MonotonicTime, to now: Moment
    ) throws -> [SealedRecording] {
        let format: RecordingFormat =
            switch source.kind {
            case .accelerometer: .cwa
            case .sound: .flac
            case .position: .nmea
            default: .csv
            }
        var measure = MeasureConfiguration(
            identifier: "task:\(recording.run)/\(recording.recorder.identifier)", format: format)
        measure.task = .init(
            task: recording.task, run: recording.run, step: recording.step, recorders: [recording.recorder.identifier])
        let body = self.body(recording)
        let anchor = ClockAnchor(
            monotonic: now.monotonic, instant: now.instant, source: .simulated, uncertainty: .zero)
        let input = Self.ring(of: source.kind)
        let recorder = try measure.recorder(of: input, source: source, origin: origin, folder: folder)
        var sealed: [SealedRecording] = []
        let step = Duration.nanoseconds(Int64(1e9 / source.nominalRate))
        var (count, time) = (0, began)
        switch input {
        case .vectors(let ring):
            // A recorder ends at a whole unit of its file (a block of CWA), so samples continue a little longer.
            recorder.end(after: now.monotonic)
            let last = now.monotonic + .seconds(3)
            while time <= last, !recorder.hasEnded {
                ring.push(Self.vector(source, body, at: time, seconds: (time - began).seconds))
                count += 1
                if count % 512 == 0 || time >= now.monotonic { sealed += recorder.drain(at: time, anchors: [anchor]) }
                time = time + step
            }
        case .sound(let ring):
            while time < now.monotonic {
                ring.push(Self.sound(body, at: time, seconds: (time - began).seconds, rate: source.nominalRate))
                count += 1
                if count % 128 == 0 { sealed += recorder.drain(at: time, anchors: [anchor]) }
                time = time + step * SoundFrame.capacity
            }
        case .bytes(let ring):
            while time <= now.monotonic {
                let seconds = (time - began).seconds
                let fix = SimulatedFix(
                    body.place(seconds), at: anchor.instant(at: time), since: body.place(max(0, seconds - 1)))
                for part in fix.frames(at: time) { ring.push(part) }
                sealed += recorder.drain(at: time, anchors: [anchor])
                time = time + step
            }
        }
        sealed += recorder.drain(at: now.monotonic, anchors: [anchor])
        return sealed + recorder.stop(at: now.monotonic, anchors: [anchor])
    }

    private static func ring(of kind: MeasureKind) -> RecorderInput {
        switch kind {
        case .sound: .sound(FrameRing(capacity: 256, repeating: SoundFrame(time: .zero)))
        case .position: .bytes(FrameRing(capacity: 64, repeating: ByteFrame(time: .zero)))
        default: .vectors(FrameRing(capacity: 1024, repeating: VectorFrame(values: .zero, count: 0)))
        }
    }

    private static func sound(
        _ body: SimulatedBody, at time: MonotonicTime, seconds: Double, rate: Double
    ) -> SoundFrame {
        var frame = SoundFrame(time: time)
        frame.count = UInt16(SoundFrame.capacity)
        for index in 0..<SoundFrame.capacity {
            let value = body.sound(seconds + Double(index) / rate)
            frame.samples[index] = Int16(max(-32_767, min(32_767, value * 32_767)))
        }
        return frame
    }

    /// Raw counts, as a chip gives them.
    private static func vector(
        _ source: SourceDescription, _ body: SimulatedBody, at time: MonotonicTime, seconds: Double
    ) -> VectorFrame {
        var values = SIMD8<Int32>(repeating: 0)
        for (index, channel) in source.channels.enumerated() {
            let vector =
                switch channel.unit {
                case .standardGravity: body.acceleration(seconds)
                case .degreesPerSecond: body.rotation(seconds)
                default: body.field(seconds)
                }
            values[index] = Int32(max(-32_768, min(32_767, (vector[index % 3] / channel.scale).rounded())))
        }
        return VectorFrame(values: values, count: UInt8(source.channels.count), time: time, isStamped: true)
    }
}
