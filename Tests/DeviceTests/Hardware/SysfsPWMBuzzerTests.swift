// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit
import Testing

@Suite struct SysfsPWMBuzzerTests {
    private func channel() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        for name in ["period", "duty_cycle", "enable"] { _ = try folder.file(name, Array("0\n".utf8)) }
        return folder
    }

    @Test(arguments: [
        (2000.0, "500000\n", "250000\n"), (440.0, "2272727\n", "1136363\n"), (20.0, "50000000\n", "25000000\n"),
        (20_000.0, "50000\n", "25000\n"),
    ])
    func aToneIsAPeriodHalfOfWhichIsOn(_ frequency: Double, _ period: String, _ duty: String) throws {
        let folder = try channel()
        do {
            let buzzer = try SysfsPWMBuzzer(directory: folder.path)
            try buzzer.tone(frequency: frequency)
            #expect(try folder.text("period") == period && folder.text("duty_cycle") == duty)
            #expect(try folder.text("enable") == "1\n")
        }
        #expect(try folder.text("enable") == "0\n" && folder.text("duty_cycle") == "0\n")
    }

    @Test func aChannelThatIsNotThereYetIsExported() throws {
        let folder = try ScratchFolder()
        _ = try folder.file("export")
        let error = #expect(throws: SystemError.self) { _ = try SysfsPWMBuzzer(directory: "\(folder.path)/pwm1") }
        #expect(error?.place == "\(folder.path)/pwm1/enable")
        #expect(try folder.text("export") == "1\n")
    }

    @Test(arguments: [0, 19, 20_001, -Double.infinity, .nan]) func inaudibleFrequenciesAreRefused(_ frequency: Double)
        throws
    {
        let folder = try channel()
        let buzzer = try SysfsPWMBuzzer(directory: folder.path)
        #expect(throws: SystemError.self) { try buzzer.tone(frequency: frequency) }
    }
}
