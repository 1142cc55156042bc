// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Synchronization
import SystemKit

/// Shows, sounds and shakes everything the panel has, one after the other; a person is asked
/// whether it was noticed.
struct PanelProbe: CheckProbe {
    let setting: CheckSetting

    var subjects: [CheckSubject] {
        let board = setting.board
        var subjects = board.lights.map { CheckSubject(.light, $0.name) }
        if board.buzzer != nil { subjects.append(Self.buzzer) }
        if board.vibration != nil { subjects.append(Self.vibration) }
        if board.loudspeaker != nil { subjects.append(Self.loudspeaker) }
        return subjects
    }

    private static let buzzer = CheckSubject(.buzzer, "buzzer")
    private static let vibration = CheckSubject(.vibration, "vibration")
    private static let loudspeaker = CheckSubject(.loudspeaker, "loudspeaker")

    func run(_ report: (CheckFinding) -> Void) {
        let board = setting.board
        for index in board.lights.indices { report(light(index)) }
        if board.buzzer != nil { report(buzz()) }
        if board.vibration != nil { report(shake()) }
        if board.loudspeaker != nil { report(speak()) }
    }

    /// What a panel shows when it is tested: its colours in turn, or on and off.
    private static let colours: [LightColour] = [
        LightColour(red: 255, green: 0, blue: 0), LightColour(red: 0, green: 255, blue: 0),
        LightColour(red: 0, green: 0, blue: 255),
    ]
    private static let white = LightColour(red: 255, green: 255, blue: 255)

    private func light(_ index: Int) -> CheckFinding {
        let light = setting.board.lights[index]
        let subject = CheckSubject(.light, light.name)
        let what = light.isRGB ? "red, green, blue" : "on"
        let question = "Did the light '\(light.name)' come on (\(what))?"
        return played(subject, "shown: \(what)", question, Self.lightRemedy(light)) {
            let indicator = try setting.opener.light(index)
            defer { indicator.close() }
            for colour in light.isRGB ? Self.colours : [Self.white] {
                try indicator.show(colour)
                setting.sleep(for: .milliseconds(light.isRGB ? 100 : 200))
            }
        }
    }

    private func buzz() -> CheckFinding {
        played(Self.buzzer, "two tones played", "Did the buzzer sound twice?", Self.buzzerRemedy) {
            guard let buzzer = try setting.opener.buzzer() else { return }
            defer { buzzer.close() }
            try pulse(buzzer, [1000, 2000], .milliseconds(150))
        }
    }

    private func shake() -> CheckFinding {
        played(Self.vibration, "vibrated once", "Did the device vibrate?", Self.vibrationRemedy) {
            guard let motor = try setting.opener.vibration() else { return }
            defer { motor.close() }
            try pulse(motor, [200], .milliseconds(300))
        }
    }

    private func pulse(_ buzzer: any Buzzer, _ tones: [Double], _ length: Duration) throws {
        for tone in tones {
            try buzzer.tone(frequency: tone)
            setting.sleep(for: length)
            try buzzer.tone(frequency: nil)
            setting.sleep(for: .milliseconds(50))
        }
    }

    private func speak() -> CheckFinding {
        played(Self.loudspeaker, "a tone played", "Did the loudspeaker sound?", Self.speakerRemedy) {
            guard let parameters = setting.opener.loudspeaker else { return }
            let playback = try PCMPlayback(parameters, clock: setting.clock, name: "check-speaker")
            defer { playback.close() }
            let end = PlaybackEnd(try Waker())
            playback.play(samples: Self.tone(parameters.rate), rate: parameters.rate) { end.set($0) }
            try end.wait(atMost: .seconds(3))
        }
    }

    /// 400 ms at about 500 Hz, a fifth of full scale: a triangle, which needs no sine.
    static func tone(_ rate: Int) -> [Int16] {
        let half = rate / 1000
        return (0..<rate * 2 / 5).map { index in
            let phase = index % (2 * half)
            return Int16((phase < half ? phase : 2 * half - phase) * 13_000 / half - 6500)
        }
    }

    /// Plays, then asks. Without an answer the finding is "played" and no more.
    private func played(
        _ subject: CheckSubject, _ done: String, _ question: String, _ remedy: String, _ play: () throws -> Void
    ) -> CheckFinding {
        do { try play() } catch { return CheckFinding(subject, failure: error, remedy: remedy) }
        switch setting.person?.ask(question) {
        case nil: return CheckFinding(subject, .ok, done)
        case true?: return CheckFinding(subject, .ok, done + ", and confirmed")
        case false?: return CheckFinding(subject, .failed, done + ", and not noticed", remedy: remedy)
        }
    }

    private static func lightRemedy(_ light: BoardDescription.Light) -> String {
        let groups = Set(light.device.name?.parts.compactMap(\.group) ?? []).sorted().joined(separator: " and ")
        return "check its polarity, resistor and wire, active_low in the board file"
            + (groups.isEmpty ? "" : ", and the group \(groups)")
    }
    private static let buzzerRemedy =
        "a passive piezo needs PWM (dtoverlay=pwm), an active buzzer a GPIO line; check its wire and polarity"
    private static let vibrationRemedy =
        "check the motor's wires, `motor` in the board file (erm or lra), and the battery: a motor starts with 100 mA"
    private static let speakerRemedy = "check the amplifier's supply, `alsamixer`, and the device's name (aplay -L)"
}

/// Waits for the end of a sound.
private final class PlaybackEnd: Sendable {
    private let waker: Waker
    private let ending = Mutex<PCMPlayback.Ending?>(nil)

    init(_ waker: Waker) { self.waker = waker }

    func set(_ ending: PCMPlayback.Ending) {
        self.ending.withLock { $0 = ending }
        waker.wake()
    }

    func wait(atMost patience: Duration) throws {
        waker.wait(atMost: patience)
        switch ending.withLock({ $0 }) {
        case .played?: return
        case .failed(let error)?: throw error
        case .stopped?, .queueFull?, nil:
            throw FileError(path: "loudspeaker", message: "a sound of 0.4 s did not finish within 3 s")
        }
    }
}
