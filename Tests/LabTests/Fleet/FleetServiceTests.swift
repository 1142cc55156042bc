// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

@Suite(.timeLimit(.minutes(10))) struct FleetServiceTests {
    /// A port whose backlog takes connections (listen(2)) that are never answered.
    private func silentPort() throws -> (number: Int, descriptor: CInt) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isReady)
        return (Int(UInt16(bigEndian: place.sin_port)), descriptor)
    }

    /// While the webhook hangs, devices and people are answered, and the metrics are written.
    @Test func aWebhookThatHangsHoldsUpNothingElse() async throws {
        try await withFolder { folder in
            let silent = try silentPort()
            defer { close(silent.descriptor) }
            let metrics = folder + "/fleet.prom"
            try await withReceiver(
                folder,
                {
                    $0.webhook = Webhook("http://127.0.0.1:\(silent.number)/")
                    $0.metricsFile = metrics
                }, clock: SystemClock()
            ) { url, receiver in
                let low = try FleetSamples.value(["disk.low": "true"]).text
                let report = ["curl", "-s", "--data-binary", "@-", url + "/reports"]
                #expect(try await run(report, input: low) == "{\"received\":17}\n")
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await receiver.fleet.run() }
                    let asked = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
                    var isAsked = false
                    while !isAsked || access(metrics, F_OK) != 0 {
                        var poll = [asked]
                        isAsked = Glibc.poll(&poll, 1, 0) > 0
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    let began = SystemClock().monotonic
                    #expect(try await run(report, input: low) == "{\"received\":17}\n")
                    let text = try String(contentsOfFile: metrics, encoding: .utf8)
                    #expect(text.contains("studyd_devices_needing_attention 1\n"))
                    // The webhook is given ten seconds.
                    #expect(SystemClock().monotonic - began < .seconds(9))
                    tasks.cancelAll()
                }
            }
        }
    }
}
