// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Exports positions as CSV (`studyd-tools export --to csv`): one line per epoch; columns are empty where the
/// receiver sent nothing, or marked the position as void.
package struct PositionCSVExporter: WindowedExporter {
    package let content = RecordedContent.sentences
    package let format = ExportFormat.csv

    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) {
        guard let source = sources.first else { return }
        let track = try NMEATrack(sources, window: window)
        output.text("#export of \(source.nameInOneLine)\n")
        output.text("#units ,deg,deg,m,m/s,deg,,\n")
        output.text("time,uptime,mode,latitude,longitude,altitude_msl,speed,track,hdop,satellites\n")
        var count = 0
        while let epoch = try track.next() {
            if epoch.followsGap { output.text("#gap\n") }
            write(epoch, to: output)
            try output.drain()
            count += 1
            if count % 64 == 0 { progress(track.progress) }
        }
    }

    private static func write(_ epoch: NMEATrack.Epoch, to output: ExportOutput) {
        let fix = epoch.fix
        if let time = epoch.time { output.text(time.rfc3339Zulu(fractionDigits: 3)) }
        output.text(",")
        if let uptime = epoch.uptime { output.number(uptime, 6) }
        output.text(",\(fix.mode)")
        let isValid = epoch.position != nil
        let columns: [(Double?, Int)] = [
            (fix.latitude, 8), (fix.longitude, 8), (fix.altitudeMSL, 2), (fix.speed, 3), (fix.track, 2),
            (fix.hdop, 2),
        ]
        for (value, decimals) in columns {
            output.text(",")
            if isValid, let value { output.number(value, decimals) }
        }
        output.text(",\(fix.satellites.map { "\($0)" } ?? "")\n")
    }
}
