// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// What is measured because a question asks for it; the answer comes as an event.
///
/// Sound is listened to as for a spoken answer, into a file that is read once and never kept.
struct DeviceReadings {
    private let clock: any StudyClock
    private let folder: RecordingFolder
    private let mailbox: Mailbox
    private let own: OwnSeal?

    init(_ parts: AgentDependencies) {
        (clock, folder, mailbox, own) = (parts.stamps.clock, parts.folder, parts.mailbox, parts.own)
    }

    func begin(_ reading: DeviceReading, _ id: String, with measuring: MeasuringSystem?) {
        switch reading {
        case .battery: answer(BatteryGauge().charge.map { [$0.percent, $0.isCharging ? 1 : 0] })
        case .light: answer(LightGauge().lux.map { [$0] })
        case .compass:
            guard let measuring else { return answer(nil) }
            measuring.findDirection()
        case .noise(let seconds), .ambient(let seconds):
            guard let measuring else { return answer(nil) }
            measuring.startMemo(SoundReading.prefix + "\(reading.name)-\(seconds)-" + id)
            // The last block of samples may be half a second on its way.
            let end = clock.monotonic + .milliseconds(1_000 * seconds + 600)
            Task(executorPreference: TaskThread.current) { [clock, mailbox] in
                try? await clock.sleep(until: end)
                mailbox.post(.soundReadingEnds)
            }
        }
    }

    private func answer(_ figures: [Double]?) { mailbox.post(.device(.reading(figures))) }

    /// True where the news is of a file that was made for a reading, which is read now.
    func take(_ news: RecorderNews) -> Bool {
        switch news {
        case .memoFailed(let id) where id.hasPrefix(SoundReading.prefix): answer(nil)
        case .memo(let id, let file) where id.hasPrefix(SoundReading.prefix): read(file, id)
        default: return false
        }
        return true
    }

    private func read(_ file: SealedRecording, _ id: String) {
        let asked = id.dropFirst(SoundReading.prefix.count).split(separator: "-", maxSplits: 2)
        let isAmbient = asked.first.map { $0 == DeviceReading.ambient(seconds: 0).name } ?? false
        let seconds = asked.dropFirst().first.flatMap { Int($0) } ?? 0
        Task(executorPreference: TaskThread.current) { [folder, mailbox, own] in
            let figures = try? await onThread("studyd-level") {
                let sound = try OwnSeal.sound(of: file.path, own)
                if isAmbient { return [SoundReading.ambientLevel(sound.samples)] }
                return SoundReading(sound.samples, channels: sound.channels, rate: sound.rate, seconds: seconds)?
                    .figures
            }
            folder.discard(file)
            mailbox.post(.device(.reading(figures ?? nil)))
        }
    }
}
