// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Listens for about two seconds after the settling time, and says how loud it was. Nothing of the
/// sound is kept.
struct MicrophoneProbe: CheckProbe {
    let setting: CheckSetting

    var subjects: [CheckSubject] { [CheckSubject(.microphone, "microphone")] }

    func run(_ report: (CheckFinding) -> Void) {
        guard let parameters = setting.opener.microphone, let board = setting.board.microphone else { return }
        let remedy = "check the overlay, the name (`arecord -L`) and the group audio"
        report(
            CheckFinding(subjects[0], remedy: remedy) {
                try listen(parameters, calibration: board.calibration)
                    .finding(subjects[0], isCalibrated: board.calibration != 0)
            })
    }

    private func listen(_ parameters: PCMParameters, calibration: Double) throws -> SoundVerdict {
        var parameters = parameters
        parameters.settling = min(parameters.settling, .seconds(3))
        // A capture waits for a missing card; a test reports it at once.
        try setting.opener.open("microphone", parameters.device) { try PCMCapture.check(parameters) }
        let length = parameters.settling + .milliseconds(1900)
        // Room for twice the sound, so that nothing is dropped.
        let ring = FrameRing(
            capacity: Int(length.seconds * 2 * Double(parameters.rate)) / SoundFrame.capacity + 8,
            repeating: SoundFrame(time: .zero))
        let capture = try PCMCapture(parameters, ring: ring, clock: setting.clock, name: "check-sound")
        setting.sleep(for: length)
        capture.stop()
        var verdict = SoundVerdict(rate: parameters.rate, calibration: calibration, highPass: parameters.highPass)
        while let block = ring.pop() { verdict.add(block) }
        verdict.fault = capture.counters.fault
        return verdict
    }
}
