// SPDX-License-Identifier: Apache-2.0
import Base

/// A description as JSON: Sage's keys first, then ours, in an order that suits a person. `RecordingDescription`
/// is decoded from the same keys, so that none may be renamed. `RecordingFolder` writes it beside the
/// recording.
extension RecordingDescription {
    /// The JSON as it lies beside the file.
    package var json: JSONText {
        .object([
            "type": .string(type), "identifier": .string(identifier), "startDate": startDate.map { .string($0) },
            "endDate": endDate.map { .string($0) }, "startUptime": .decimal(startUptime),
            "begunUptime": begunUptime.map { .decimal($0) }, "endUptime": .decimal(endUptime),
            "relativePath": .string(relativePath),
            "task": task.map(Self.json),
            "schemaVersion": schemaVersion.map { .integer(Int64($0)) }, "software": software.map { .string($0) },
            "contentType": .string(contentType), "contentEncoding": contentEncoding.map { .string($0) },
            "age": age.map(Self.json),
            "number": .integer(Int64(number)), "kind": .string(kind), "format": .string(format),
            "state": .string(state.rawValue), "study": .string(study), "participant": participant.map { .string($0) },
            "deviceNumber": .integer(Int64(deviceNumber)), "bodyLocation": bodyLocation.map { .string($0) },
            "device": .string(device), "location": .string(location), "channels": .array(channels.map(Self.json)),
            "nominalRate": .decimal(nominalRate), "resampled": resampled.map(Self.json),
            "fields": fields.map(Self.json),
            "fullScale": .decimal(fullScale),
            "mountingMatrix": mountingMatrix.map { .array($0.map { .array($0.map { .decimal($0) }) }) },
            "calibration": calibration.map { .decimal($0) }, "measuredRate": measuredRate.map { .decimal($0) },
            "measuredRateError": measuredRateError.map { .decimal($0) },
            "timeError": timeError.map { .decimal($0) }, "steadyTimeError": steadyTimeError.map { .decimal($0) },
            "clockError": clockError.map { .decimal($0) }, "bootID": .string(bootID),
            "zone": .string(zone), "offset": offset.map { .string($0) }, "clock": .string(clock.rawValue),
            "anchors": .array(anchors.map(Self.json)), "syncInterval": .decimal(syncInterval),
            "countedUnit": .string(countedUnit.rawValue), "samplesStored": .integer(Int64(samplesStored)),
            "samplesLost": Self.json(samplesLost),
            "gaps": .array(gaps.map(Self.json)), "gapsOmitted": .integer(Int64(gapsOmitted)),
            "isRecovered": .boolean(isRecovered), "isLossUnknown": isLossUnknown.map { .boolean($0) },
            "bytesCut": .integer(Int64(bytesCut)),
            "bytes": .integer(Int64(bytes)), "sha256": .string(sha256),
            // Last: `DescriptionSeal` looks for it from the end.
            "seal": seal.map { .string($0) },
        ])
    }

    private static func json(_ note: AgeNote) -> JSONText {
        .object([
            "recipients": .integer(Int64(note.recipients)), "contentType": .string(note.contentType),
            "isUptime": note.isUptime.map { .boolean($0) }, "isCut": note.isCut.map { .boolean($0) },
        ])
    }

    private static func json(_ lost: [String: Int]) -> JSONText {
        .object(lost.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) })
    }

    private static func json(_ note: ResamplingNote) -> JSONText {
        .object([
            "nominalRate": .decimal(note.nominalRate), "measuredRate": note.measuredRate.map { .decimal($0) },
            "samplesStored": .integer(Int64(note.samplesStored)), "samplesLost": json(note.samplesLost),
        ])
    }

    private static func json(_ fields: FieldNotes) -> JSONText {
        .object([
            "temperature": .string(fields.temperature), "battery": .string(fields.battery),
            "light": .string(fields.light),
        ])
    }

    private static func json(_ task: TaskNote) -> JSONText {
        .object([
            "task": .string(task.task), "run": .string(task.run), "step": .string(task.step),
            "recorders": .array(task.recorders.map { .string($0) }),
        ])
    }

    private static func json(_ channel: ChannelNote) -> JSONText {
        .object([
            "name": .string(channel.name), "unit": .string(channel.unit), "scale": .decimal(channel.scale),
            "offset": .decimal(channel.offset), "resolution": channel.resolution.map { .decimal($0) },
            "sensorScale": channel.sensorScale.map { .decimal($0) },
        ])
    }

    private static func json(_ anchor: AnchorNote) -> JSONText {
        .object([
            "uptime": .decimal(anchor.uptime), "time": .string(anchor.time), "source": .string(anchor.source),
            "uncertainty": .decimal(anchor.uncertainty), "carried": anchor.carried.map { .decimal($0) },
        ])
    }

    private static func json(_ gap: GapNote) -> JSONText {
        .object([
            "startUptime": .decimal(gap.startUptime), "endUptime": .decimal(gap.endUptime),
            "startDate": gap.startDate.map { .string($0) }, "endDate": gap.endDate.map { .string($0) },
            "samples": .integer(Int64(gap.samples)), "reason": .string(gap.reason),
            "position": .integer(Int64(gap.position)),
        ])
    }
}
