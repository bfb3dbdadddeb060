//! The parameters of a case.

use ndarray::SliceInfoElem;
use serde_json::Value as Json;

/// A whole number.
pub fn integer(params: &Json, name: &str) -> isize {
    let value = &params[name];
    value.as_i64().unwrap_or_else(|| panic!("{name} is {value}, not an integer")) as isize
}

/// A number.
pub fn number(params: &Json, name: &str) -> f64 {
    let value = &params[name];
    value.as_f64().unwrap_or_else(|| panic!("{name} is {value}, not a number"))
}

/// True or false; false where it is absent.
pub fn flag(params: &Json, name: &str) -> bool {
    params[name].as_bool().unwrap_or(false)
}

/// A list of whole numbers, or one.
pub fn integers(value: &Json) -> Vec<isize> {
    let one = |v: &Json| v.as_i64().unwrap_or_else(|| panic!("{v} is not an integer")) as isize;
    match value.as_array() {
        Some(list) => list.iter().map(one).collect(),
        None => vec![one(value)],
    }
}

/// A shape.
pub fn shape(params: &Json) -> Vec<usize> {
    integers(&params["shape"]).into_iter().map(|d| d as usize).collect()
}

/// A slice, as `ndarray` takes it.
pub fn slices(value: &Json) -> Vec<SliceInfoElem> {
    let items = value.as_array().unwrap_or_else(|| panic!("{value} is not a slice"));
    items.iter().map(slice_item).collect()
}

fn slice_item(item: &Json) -> SliceInfoElem {
    if item == "new" {
        return SliceInfoElem::NewAxis;
    }
    if let Some(index) = item["index"].as_i64() {
        return SliceInfoElem::Index(index as isize);
    }
    let [start, end, step] = integers(&item["ndarray"])[..] else {
        panic!("{item} is not a part of a slice");
    };
    SliceInfoElem::Slice { start, end: Some(end), step }
}
