// SPDX-License-Identifier: Apache-2.0
import Hardware
import Testing

@Suite(.timeLimit(.minutes(10))) struct MeasuringThreadTests {
    @Test func theThreadHasItsNameAndRunsWhateverTheKernelSaysOfPriorities() throws {
        let names = try Collected<String>()
        let thread = try MeasuringThread(name: "a-name-that-is-too-long", priority: 5) {
            names.add((try? String(decoding: contents("/proc/thread-self/comm"), as: UTF8.self)) ?? "")
        }
        if let fault = thread.schedulingFault { #expect(fault.description.contains("LimitRTPRIO")) }
        thread.join()
        #expect(names.all == ["a-name-that-is-\n"])
    }
}
