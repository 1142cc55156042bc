// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct PCMParametersTests {
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
