// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    package static let gpx = ExportFormat(rawValue: "gpx")
}

/// Positions as a GPX 1.1 track, for `studyd-tools export --to gpx`. Loss of reception, missing bytes and
/// pauses begin a new segment.
///
/// Source: topografix.com/GPX/1/1. Heights are above mean sea level; in a fix of
/// two dimensions, which `fix` names, what the receiver assumed.
package struct GPXExporter: WindowedExporter {
    package let content = RecordedContent.sentences
    package let format = ExportFormat.gpx

    /// Seconds without a position that end a segment.
    private static let longestPause = 60.0

    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) {
        guard let source = sources.first else { return }
        let track = try NMEATrack(sources, window: window)
        output.text(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="studyd" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
            <metadata><desc>\(Markup.escaped(timeNote(sources)))</desc></metadata>
            <trk><name>\(Markup.escaped(source.name))</name>

            """)
        var (isOpen, last, count): (Bool, Instant?, Int) = (false, nil, 0)
        while let epoch = try track.next() {
            count += 1
            if count % 64 == 0 { progress(track.progress) }
            let pause = epoch.time.flatMap { time in last.map { (time - $0).seconds } } ?? 0
            let ends = epoch.position == nil || epoch.followsGap || pause > longestPause || pause < 0
            if isOpen, ends {
                output.text("</trkseg>\n")
                isOpen = false
            }
            guard let position = epoch.position else { continue }
            if !isOpen { output.text("<trkseg>\n") }
            isOpen = true
            last = epoch.time
            write(epoch, position, to: output)
            try output.drain()
        }
        output.text("\(isOpen ? "</trkseg>\n" : "")</trk>\n</gpx>\n")
    }

    /// The comment of a point without a time from the receiver.
    private static let ownTimeComment = "time of the recorder's clock"

    private static func timeNote(_ sources: [RecordedFile]) -> String {
        let clock =
            sources.compactMap(\.description?.clockError).max().map { ", which is good to \(Decimals.text($0, 3)) s" }
            ?? ""
        return
            "Times are the receiver's UTC. Points with the comment '\(ownTimeComment)' have that of the device that recorded\(clock)."
    }

    /// The order of the elements is the schema's.
    private static func write(
        _ epoch: NMEATrack.Epoch, _ position: (latitude: Double, longitude: Double), to output: ExportOutput
    ) {
        output.text("<trkpt lat=\"")
        output.number(position.latitude, 8)
        output.text("\" lon=\"")
        output.number(position.longitude, 8)
        output.text("\">")
        if let height = epoch.fix.altitudeMSL { element("ele", height, 2, to: output) }
        if let time = epoch.time { output.text("<time>\(time.rfc3339Zulu(fractionDigits: 3))</time>") }
        if let geoid = epoch.fix.geoidSeparation { element("geoidheight", geoid, 2, to: output) }
        if epoch.time != nil, epoch.isRecordersTime { output.text("<cmt>\(ownTimeComment)</cmt>") }
        output.text("<fix>\(epoch.fix.mode == 3 ? "3d" : "2d")</fix>")
        if let satellites = epoch.fix.satellites, satellites >= 0 { output.text("<sat>\(satellites)</sat>") }
        if let hdop = epoch.fix.hdop { element("hdop", hdop, 2, to: output) }
        output.text("</trkpt>\n")
    }

    private static func element(_ name: String, _ value: Double, _ decimals: Int, to output: ExportOutput) {
        output.text("<\(name)>")
        output.number(value, decimals)
        output.text("</\(name)>")
    }
}
