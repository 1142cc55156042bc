// SPDX-License-Identifier: Apache-2.0

/// A description as JSON: Sage's keys first, then ours, in an order that a person reads.
extension RecordingDescription {
    /// The JSON as it lies beside the file.
    package var json: OrderedJSON {
        .object([
            "type": .string(type), "identifier": .string(identifier), "startDate": startDate.map { .string($0) },
            "endDate": endDate.map { .string($0) }, "startUptime": .number(startUptime),
            "begunUptime": begunUptime.map { .number($0) }, "endUptime": .number(endUptime),
            "relativePath": .string(relativePath),
            "task": task.map(Self.json),
            "schemaVersion": schemaVersion.map { .integer(Int64($0)) }, "software": software.map { .string($0) },
            "contentType": .string(contentType), "contentEncoding": contentEncoding.map { .string($0) },
            "number": .integer(Int64(number)), "kind": .string(kind), "format": .string(format),
            "state": .string(state.rawValue), "study": .string(study), "participant": participant.map { .string($0) },
            "deviceNumber": .integer(Int64(deviceNumber)), "bodyLocation": bodyLocation.map { .string($0) },
            "device": .string(device), "location": .string(location), "channels": .array(channels.map(Self.json)),
            "nominalRate": .number(nominalRate), "resampled": resampled.map(Self.json), "fields": fields.map(Self.json),
            "fullScale": .number(fullScale),
            "mountingMatrix": mountingMatrix.map { .array($0.map { .array($0.map { .number($0) }) }) },
            "calibration": calibration.map { .number($0) }, "measuredRate": measuredRate.map { .number($0) },
            "measuredRateError": measuredRateError.map { .number($0) },
            "timeError": timeError.map { .number($0) }, "steadyTimeError": steadyTimeError.map { .number($0) },
            "clockError": clockError.map { .number($0) }, "bootID": .string(bootID),
            "zone": .string(zone), "offset": offset.map { .string($0) }, "clock": .string(clock.rawValue),
            "anchors": .array(anchors.map(Self.json)), "syncInterval": .number(syncInterval),
            "countedUnit": .string(countedUnit), "samplesStored": .integer(Int64(samplesStored)),
            "samplesLost": Self.json(samplesLost),
            "gaps": .array(gaps.map(Self.json)), "gapsOmitted": .integer(Int64(gapsOmitted)),
            "isRecovered": .bool(isRecovered), "isLossUnknown": isLossUnknown.map { .bool($0) },
            "bytesCut": .integer(Int64(bytesCut)),
            "bytes": .integer(Int64(bytes)), "sha256": .string(sha256),
            "seal": seal.map { .string($0) },
        ])
    }

    private static func json(_ lost: [String: Int]) -> OrderedJSON {
        .object(lost.sorted { $0.key < $1.key }.map { .init($0.key, .integer(Int64($0.value))) })
    }

    private static func json(_ note: ResamplingNote) -> OrderedJSON {
        .object([
            "nominalRate": .number(note.nominalRate), "measuredRate": note.measuredRate.map { .number($0) },
            "samplesStored": .integer(Int64(note.samplesStored)), "samplesLost": json(note.samplesLost),
        ])
    }

    private static func json(_ fields: FieldNotes) -> OrderedJSON {
        .object([
            "temperature": .string(fields.temperature), "battery": .string(fields.battery),
            "light": .string(fields.light),
        ])
    }

    private static func json(_ task: TaskNote) -> OrderedJSON {
        .object([
            "task": .string(task.task), "run": .string(task.run), "step": .string(task.step),
            "recorders": .array(task.recorders.map { .string($0) }),
        ])
    }

    private static func json(_ channel: ChannelNote) -> OrderedJSON {
        .object([
            "name": .string(channel.name), "unit": .string(channel.unit), "scale": .number(channel.scale),
            "offset": .number(channel.offset), "resolution": channel.resolution.map { .number($0) },
            "sensorScale": channel.sensorScale.map { .number($0) },
        ])
    }

    private static func json(_ anchor: AnchorNote) -> OrderedJSON {
        .object([
            "uptime": .number(anchor.uptime), "time": .string(anchor.time), "source": .string(anchor.source),
            "uncertainty": .number(anchor.uncertainty), "carried": anchor.carried.map { .number($0) },
        ])
    }

    private static func json(_ gap: GapNote) -> OrderedJSON {
        .object([
            "startUptime": .number(gap.startUptime), "endUptime": .number(gap.endUptime),
            "startDate": gap.startDate.map { .string($0) }, "endDate": gap.endDate.map { .string($0) },
            "samples": .integer(Int64(gap.samples)), "reason": .string(gap.reason),
            "position": .integer(Int64(gap.position)),
        ])
    }
}
