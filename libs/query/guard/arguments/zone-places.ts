/**
 * Functions, in lower case, that take the name of a time zone, with the index of that argument,
 * from 0. The list comes from the engine (26.7): each allowed function was tried with a zone that
 * does not exist, at each place.
 */
const NAMES: Readonly<Record<string, string>> = {
  0: `
current_timestamp localtimestamp now nowinblock`,
  1: `
date day dayofmonth dayofyear from_utc_timestamp fromunixtimestamp64micro
fromunixtimestamp64milli fromunixtimestamp64nano fromunixtimestamp64second fromutctimestamp hour
last_day microsecond millisecond minute month nanosecond now64 nowinblock64
parsedatetime32besteffort parsedatetime32besteffortornull parsedatetime32besteffortorzero
parsedatetimebesteffortus parsedatetimebesteffortusornull parsedatetimebesteffortusorzero
quarter second timeslot timezoneoffset to_days to_utc_timestamp todate todate32 
todatetime32 todatetimeordefault todatetimeornull todatetimeorzero todayofmonth todayofyear
todaysinmonth todayssinceyearzero tohour toisoweek toisoyear tolastdayofmonth tomicrosecond
tomillisecond tominute tomonday tomonth tomonthnumsinceepoch tonanosecond toquarter
torelativedaynum torelativehournum torelativeminutenum torelativemonthnum torelativequarternum
torelativesecondnum torelativeweeknum torelativeyearnum tosecond tostartofday
tostartoffifteenminutes tostartoffiveminute tostartoffiveminutes tostartofhour tostartofisoyear
tostartofmicrosecond tostartofmillisecond tostartofminute tostartofmonth tostartofnanosecond
tostartofquarter tostartofsecond tostartoftenminutes tostartofyear tostring totimewithfixeddate
totimezone tounixtimestamp toutctimestamp toyear toyearnumsinceepoch toyyyymm toyyyymmdd
toyyyymmddhhmmss uuidv7todatetime year yyyymmddhhmmsstodatetime`,
  2: `
adddays addhours addmicroseconds addmilliseconds addminutes addmonths addnanoseconds addquarters
addseconds addweeks addyears date_format date_trunc datename datetrunc dayofweek formatdatetime
formatdatetimeinjodasyntax from_unixtime fromunixtimestamp fromunixtimestampinjodasyntax
parsedatetime parsedatetime64 parsedatetime64besteffort parsedatetime64besteffortornull
parsedatetime64besteffortorzero parsedatetime64besteffortus parsedatetime64besteffortusornull
parsedatetime64besteffortusorzero parsedatetime64injodasyntax parsedatetime64injodasyntaxornull
parsedatetime64injodasyntaxorzero parsedatetime64ornull parsedatetime64orzero
parsedatetimeinjodasyntax parsedatetimeinjodasyntaxornull parsedatetimeinjodasyntaxorzero
parsedatetimeornull parsedatetimeorzero snowflakeidtodatetime snowflakeidtodatetime64
str_to_date subtractdays subtracthours subtractmicroseconds subtractmilliseconds subtractminutes
subtractmonths subtractnanoseconds subtractquarters subtractseconds subtractweeks subtractyears
to_unixtime todatetime64 todatetime64ordefault todatetime64ornull todatetime64orzero todayofweek
tolastdayofweek tostartofweek toweek toyearweek tumble tumbleend tumblestart week yearweek
yyyymmddhhmmsstodatetime64`,
  3: `
age date_diff datediff hop hopend hopstart timestamp_diff timestampdiff`,
  '1,2': `parsedatetimebesteffort parsedatetimebesteffortornull parsedatetimebesteffortorzero todatetime`,
  6: `
makedatetime`,
  8: `
makedatetime64`,
  '2,3': `
date_bin time_bucket tostartofinterval windowid`,
};

const PLACES: ReadonlyMap<string, readonly number[]> = new Map(
  Object.entries(NAMES).flatMap(([places, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, places.split(',').map(Number)] as const),
  ),
);

/** @returns undefined for a function that takes none. */
export function zonePlaces(name: string): readonly number[] | undefined {
  return PLACES.get(name);
}
