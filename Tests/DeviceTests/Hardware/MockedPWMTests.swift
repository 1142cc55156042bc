// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

/// Runs only below a mocked kernel; `MockedPWMTests` starts it.
@Suite(.enabled(if: MockedKernel.isInside), .timeLimit(.minutes(10))) struct UnderMockedPWM {
    private let channel = AttributeFolder(path: "/sys/class/pwm/pwmchip7/pwm0")

    private var state: [String] {
        get throws { try ["period", "duty_cycle", "enable"].map(channel.read) }
    }

    @Test func aChannelThatNeverHadAPeriodOpensSilentAndPlays() throws {
        do {
            let buzzer = try SysfsPWMBuzzer(directory: channel.path)
            #expect(try state == ["0", "0", "0"])
            try buzzer.tone(frequency: nil)
            #expect(try state == ["0", "0", "0"])
            for (frequency, period, duty) in [
                (440.0, "2272727", "1136363"), (2000, "500000", "250000"), (440, "2272727", "1136363"),
            ] {
                try buzzer.tone(frequency: frequency)
                #expect(try state == [period, duty, "1"])
            }
            try buzzer.tone(frequency: nil)
            #expect(try state == ["2272727", "0", "0"])
            try buzzer.tone(frequency: 2000)
        }
        #expect(try state == ["500000", "0", "0"])
        // What an earlier life of the program left on.
        try channel.write("duty_cycle", "250000")
        try channel.write("enable", "1")
        let buzzer = try SysfsPWMBuzzer(directory: channel.path)
        #expect(try state == ["500000", "0", "0"])
        buzzer.close()
    }
}

@Suite(.timeLimit(.minutes(10))) struct MockedPWMTests {
    @Test(.enabled(if: !MockedKernel.isInside && MockedKernel.pwm.isAvailable))
    func aPiezoSoundsOnKernelsBefore611Too() throws {
        let (status, output) = try MockedKernel.pwm.run(suite: "UnderMockedPWM")
        #expect(status == 0, "\(output)")
        #expect(output.contains("Test run with 1 test"), "\(output)")
    }
}
