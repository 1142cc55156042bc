// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Lab

/// Read by `prometheus_client.parser` of PyPI, Prometheus' own reader of its exposition format.
@Suite(.timeLimit(.minutes(10))) struct FleetMetricsTests {
    private static let python = LabTests.python(with: "prometheus_client.parser")

    private static let reader = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(sys.stdin.read()):
            for s in family.samples:
                print(family.type, s.name, ' '.join(f'{k}={v!r}' for k, v in sorted(s.labels.items())), float(s.value), s.timestamp)
        """

    @Test(.enabled(if: python != nil, "no Python with prometheus_client (STUDYD_PYTHON)"))
    func prometheusReadsWhatWasWritten() async throws {
        let now = Instant(seconds: 1_780_000_000)
        let plain = try FleetSamples.device(first: now, received: now - .milliseconds(500))
        let odd = try FleetSamples.device(
            [
                "device": #""a\\b\"c{}\u00e9""#, "participant": #""P, \u20ac""#, "temperature": "null",
                "power.battery": "null", "disk.low": "true",
            ], first: now, received: now)
        let rules = FleetRules(now: now, listeningSince: now, limits: .init())
        let view = FleetWatch.View(
            now: now, devices: [plain, odd], attention: rules.attention(of: [plain, odd]), replaced: [],
            newestVersion: nil, expectedVersion: nil, limitsProblem: nil)
        let lines = try await run([Self.python ?? "", "-c", Self.reader], input: FleetMetrics(view: view).text)
            .split(separator: "\n").map(String.init)
        #expect(lines.contains("gauge studyd_devices  2.0 None"), "\(lines)")
        #expect(lines.contains("gauge studyd_devices_needing_attention  1.0 None"))
        let labels = "device='board-1' enrolment='e1' participant='P007' study='mood'"
        #expect(lines.contains("gauge studyd_device_last_report_timestamp_seconds \(labels) 1779999999.5 None"))
        #expect(lines.contains("gauge studyd_device_battery_ratio \(labels) 0.83 None"))
        #expect(lines.contains("gauge studyd_device_disk_free_bytes \(labels) 1230000.0 None"))
        let strange = #"device='a\\b"c{}é' enrolment='e1' kind='disk' participant='P, €' study='mood'"#
        #expect(lines.contains("gauge studyd_device_attention \(strange) 1.0 None"))
        #expect(lines.count(where: { $0.contains("temperature") }) == 1)
    }

    /// The exposition format: HELP and TYPE come once for each metric, before its first sample, and all its samples
    /// follow each other.
    @Test func everyMetricSaysWhatItIsBeforeItsSamples() throws {
        let now = Instant(seconds: 1_780_000_000)
        let devices = try ["\"board-1\"", "\"board-2\""].map {
            try FleetSamples.device(["device": $0, "disk.low": "true"], first: now, received: now)
        }
        let rules = FleetRules(now: now, listeningSince: now, limits: .init())
        let view = FleetWatch.View(
            now: now, devices: devices, attention: rules.attention(of: devices), replaced: [], newestVersion: nil,
            expectedVersion: nil, limitsProblem: nil)
        var (metrics, helped): ([String], String?) = ([], nil)
        for line in FleetMetrics(view: view).text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("# HELP ") {
                helped = words[2]
                #expect(words.count > 3 && !metrics.contains(words[2]), "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(words.count == 4 && words[2] == helped && words[3] == "gauge", "\(line)")
                metrics.append(words[2])
            } else {
                let name = String(line.prefix { $0 != "{" && $0 != " " })
                #expect(name == metrics.last, "\(line)")
            }
        }
        #expect(metrics.count > 8 && Set(metrics).count == metrics.count)
    }

    @Test func thePlaceIsWrittenWhole() async throws {
        let now = Instant(seconds: 1_780_000_000)
        let view = FleetWatch.View(
            now: now, devices: [], attention: [:], replaced: [], newestVersion: nil, expectedVersion: nil,
            limitsProblem: nil)
        #expect(FleetMetrics(view: view).text.hasSuffix("studyd_devices_needing_attention 0\n"))
    }
}
