// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct PCMParametersTests {
    private typealias Change = (inout PCMParameters) -> Void

    /// The least and the most that can be asked for, and what is just beyond: a card has a whole frame of each
    /// channel, a sample no more bits than its format, and a high-pass leaves the voice.
    @Test func eachNumberIsTakenUpToItsLimits() {
        let cases: [(isPossible: Bool, change: Change)] = [
            (true, { _ in }), (true, { $0.rate = 1000 }), (false, { $0.rate = 999 }),
            (true, { $0.rate = 768_000 }), (false, { $0.rate = 768_001 }),
            (true, { $0.channels = 64 }), (false, { $0.channels = 65 }),
            (true, { $0.channels = 1 }), (false, { $0.channels = 0 }),
            (true, { $0.channel = 1 }), (false, { $0.channel = 2 }), (false, { $0.channel = -1 }),
            (true, { $0.period = .nanoseconds(1) }), (false, { $0.period = .zero }),
            (true, { $0.buffer = $0.period }), (false, { $0.buffer = $0.period - .nanoseconds(1) }),
            (true, { $0.buffer = .seconds(60) }), (false, { $0.buffer = .seconds(60) + .nanoseconds(1) }),
            (true, { $0.validBits = 8 }), (false, { $0.validBits = 7 }),
            (true, { $0.validBits = 32 }), (false, { $0.validBits = 33 }),
            (true, { ($0.format, $0.validBits) = (.s24, 24) }), (false, { ($0.format, $0.validBits) = (.s24, 25) }),
            (true, { ($0.format, $0.validBits) = (.s16, 16) }), (false, { ($0.format, $0.validBits) = (.s16, 17) }),
            (true, { $0.highPass = 1 }), (false, { $0.highPass = 0.999 }),
            (true, { $0.highPass = 2000 }), (false, { $0.highPass = 2000.001 }),
            (true, { $0.settling = .seconds(10) }), (false, { $0.settling = .seconds(10) + .nanoseconds(1) }),
            (false, { $0.settling = .nanoseconds(-1) }),
        ]
        for (place, (isPossible, change)) in cases.enumerated() {
            var parameters = PCMParameters(device: "null", rate: 16_000, channels: 2, format: .s32)
            change(&parameters)
            #expect((parameters.flaw == nil) == isPossible, "\(place): \(parameters.flaw ?? "no flaw")")
        }
    }

    @Test(arguments: [
        PCMParameters(device: "null", rate: 0), PCMParameters(device: "null", rate: -1),
        PCMParameters(device: "null", rate: 16_000, channels: 0),
        PCMParameters(device: "null", rate: 16_000, channels: 2, channel: 2),
        PCMParameters(device: "null", rate: 16_000, period: .zero),
        PCMParameters(device: "null", rate: 16_000, buffer: .milliseconds(50)),
    ]) func impossibleNumbersAreRefusedBeforeTheDeviceIsAsked(_ parameters: PCMParameters) {
        let error = #expect(throws: PCMError.self) { try PCMCapture.check(parameters) }
        #expect(error?.device == "null")
        #expect(throws: PCMError.self) { try PCMPlayback.check(parameters) }
    }

    @Test func framesAndTimesAgree() {
        let parameters = PCMParameters(device: "null", rate: 44_100)
        #expect(parameters.frames(in: .milliseconds(100)) == 4410)
        #expect(parameters.time(of: 44_100) == .seconds(1))
    }
}
