// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import HeldPort
import Patience
import SystemKit
import Testing

@testable import Lab
@testable import StandIns

@Suite(.timeLimit(.minutes(10))) struct FleetServiceTests {
    /// While the webhook hangs, devices and people are answered, and the metrics are written. Else this would
    /// wait for longer than its time limit.
    @Test func aWebhookThatHangsHoldsUpNothingElse() async throws {
        try await withFolder { folder in
            let silent = try HeldPort()
            try silent.listenSilently()
            let metrics = folder + "/fleet.prom"
            try await withReceiver(
                folder,
                {
                    $0.webhook = Webhook("http://127.0.0.1:\(silent.number)/", limit: .seconds(3600))
                    $0.metricsFile = metrics
                }, clock: SystemClock()
            ) { url, receiver in
                let low = try FleetSamples.value(["disk.low": "true"]).text
                let report = ["curl", "-s", "--data-binary", "@-", url + "/reports"]
                #expect(try await run(report, input: low) == "{\"received\":17}\n")
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await receiver.fleet.run() }
                    defer { silent.hangUp() }
                    while !silent.isAsked(within: 0) || access(metrics, F_OK) != 0 {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    #expect(try await run(report, input: low) == "{\"received\":17}\n")
                    let text = try String(contentsOfFile: metrics, encoding: .utf8)
                    #expect(text.contains("studyd_devices_needing_attention 1\n"))
                    tasks.cancelAll()
                }
            }
        }
    }

    /// Each ten seconds the same would fill the log.
    @Test func whatKeepsMetricsFromBeingWrittenIsReportedOnceUntilItChanges() async throws {
        try await withFolder { folder in
            try File.makeFolder(folder)
            let (said, place) = (Said(), folder + "/collector")
            let watch = try FleetWatch(
                .memory, archive: FleetArchive(.memory), keys: DeviceKeys(.memory),
                limitsFile: folder + "/limits.toml", expectedVersion: nil, makesNotices: false,
                since: StillClock().now, report: { said.add($0) })
            let service = FleetService(
                watch: watch, webhook: nil, metricsFile: place + "/fleet.prom", clock: StillClock(),
                report: { said.add($0) })
            var last = FleetService.LastLook()
            for _ in 0..<3 { await service.look(after: &last) }
            #expect(said.all.count == 1 && said.all[0].contains("No such file or directory"), "\(said.all)")
            #expect(FileManager.default.createFile(atPath: place, contents: nil))
            for _ in 0..<3 { await service.look(after: &last) }
            #expect(said.all.count == 2 && said.all[1].contains("Not a directory"), "\(said.all)")
            try FileManager.default.removeItem(atPath: place)
            try File.makeFolder(place)
            for _ in 0..<3 { await service.look(after: &last) }
            #expect(said.all.count == 2 && access(place + "/fleet.prom", F_OK) == 0, "\(said.all)")
            // The same is not written again.
            let stamp = try #require(FileStamp(place + "/fleet.prom"))
            await service.look(after: &last)
            #expect(FileStamp(place + "/fleet.prom") == stamp)
        }
    }

    /// prometheus/node_exporter a7dcc3a0, collector/textfile.go:290: what its own user cannot open is passed over. A file
    /// made under the umask of the packaged unit would be 0640.
    @Test func theNodeExporterCanReadTheMetrics() async throws {
        try await withFolder { folder in
            let metrics = folder + "/fleet.prom"
            @Sendable func mode() -> mode_t {
                var status = stat()
                return stat(metrics, &status) == 0 ? status.st_mode & 0o777 : 0
            }
            try await withReceiver(folder, { $0.metricsFile = metrics }, clock: SystemClock()) { _, receiver in
                #expect(FileManager.default.createFile(atPath: metrics, contents: nil))
                #expect(chmod(metrics, 0o640) == 0)
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await receiver.fleet.run() }
                    try await eventually("the node exporter can read the metrics") { mode() == 0o644 }
                    tasks.cancelAll()
                }
                #expect(try String(contentsOfFile: metrics, encoding: .utf8).contains("studyd_devices 0\n"))
            }
        }
    }
}
