// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// Takes the readings that a question asks for: battery, light, compass, noise. What takes time comes later, as
/// an event. Belongs to the loop: for a reading of sound `EffectRunner` calls `begin`, `StudyLoop` then `end` when it
/// was listened to for long enough, `take` with the recorder's file, and `finish` with what was computed from it.
///
/// Sound is listened to as for a spoken answer, into a file that is read once and never kept. A
/// question may be left while it is measured: only the last reading answers one.
final class DeviceReadings {
    private let clock: any StudyClock
    private let folder: RecordingFolder
    private let mailbox: Mailbox
    private let opener: DeviceOpener?
    /// Of the last reading, or the one that is to come.
    private var number = 0
    /// What is being measured; nil = nothing is waited for.
    private var awaited: DeviceReading?

    init(clock: any StudyClock, folder: RecordingFolder, mailbox: Mailbox, opener: DeviceOpener?) {
        (self.clock, self.folder, self.mailbox, self.opener) = (clock, folder, mailbox, opener)
    }

    /// Begins a reading, in place of one before it; returns the answer where it is known at once. `id` is unique
    /// on the device.
    func begin(_ reading: DeviceReading, _ id: String, with recorder: RecorderThread?) -> [CoreEvent] {
        cancel(recorder)
        switch reading {
        case .battery: return Self.answer(BatteryGauge().charge.map { [$0.percent, $0.isCharging ? 1 : 0] })
        case .light: return Self.answer(LightGauge().lux.map { [$0] })
        case .compass:
            guard let recorder else { return Self.answer(nil) }
            recorder.findDirection()
        case .noise(let seconds), .ambient(let seconds):
            guard let recorder else { return Self.answer(nil) }
            recorder.startMemo(SoundReading.prefix + "\(reading.name)-\(seconds)-\(number)-" + id)
            // The last block of samples may be half a second on its way.
            let end = clock.monotonic + .milliseconds(1_000 * seconds + 600)
            Task(executorPreference: TaskThread.current) { [clock, mailbox, number] in
                try? await clock.sleep(until: end)
                mailbox.post(.soundReadingEnds(number))
            }
        }
        awaited = reading
        return []
    }

    /// Gives up the reading that is awaited, and frees the microphone.
    func cancel(_ recorder: RecorderThread?) {
        if listens { recorder?.stopMemo() }
        (number, awaited) = (number + 1, nil)
    }

    func end(_ number: Int, with recorder: RecorderThread?) {
        if listens, number == self.number { recorder?.stopMemo() }
    }

    /// What that reading came to; empty where its question was left.
    func finish(_ figures: [Double]?, _ number: Int) -> [CoreEvent] {
        guard listens, number == self.number else { return [] }
        awaited = nil
        return Self.answer(figures)
    }

    private var listens: Bool {
        switch awaited {
        case .noise, .ambient: true
        case .compass, .battery, .light, nil: false
        }
    }

    private static func answer(_ figures: [Double]?) -> [CoreEvent] { [.conductor(.device(.reading(figures)))] }

    /// True where the news is of a reading, and of no use to anything else: a file is read now.
    func take(_ news: RecorderNews) -> Bool {
        switch news {
        case .memoFailed(let id) where id.hasPrefix(SoundReading.prefix):
            mailbox.post(.soundRead(nil, SoundMemo(id).number))
        case .memo(let id, let file) where id.hasPrefix(SoundReading.prefix): read(file, SoundMemo(id))
        // The core gets a direction only while a compass question waits for it.
        case .direction: return awaited != .compass
        default: return false
        }
        return true
    }

    /// What the id of its memo says of a reading.
    private struct SoundMemo: Sendable {
        let isAmbient: Bool
        let seconds: Int
        let number: Int

        init(_ id: String) {
            let asked = id.dropFirst(SoundReading.prefix.count).split(separator: "-", maxSplits: 3)
            isAmbient = asked.first.map { $0 == DeviceReading.ambient(seconds: 0).name } ?? false
            (seconds, number) = asked.count > 2 ? (Int(asked[1]) ?? 0, Int(asked[2]) ?? 0) : (0, 0)
        }
    }

    private func read(_ file: SealedRecording, _ memo: SoundMemo) {
        guard listens, memo.number == number else { return folder.discard(file) }
        Task(executorPreference: TaskThread.current) { [folder, mailbox, opener] in
            let figures = try? await onThread("studyd-level") {
                let sound = try DeviceOpener.sound(of: file.path, opener)
                if memo.isAmbient { return [SoundReading.ambientLevel(sound.samples)] }
                return SoundReading(sound.samples, channels: sound.channels, rate: sound.rate, seconds: memo.seconds)?
                    .figures
            }
            folder.discard(file)
            mailbox.post(.soundRead(figures ?? nil, memo.number))
        }
    }
}
